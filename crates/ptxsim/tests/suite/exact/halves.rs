//! Half precision and bfloat16, alone and in pairs.

use super::floats::{ARITHMETIC, FUSED, arithmetic, extremes};
use super::number::{BF16, F16, Format, Round};
use super::{Form, Wanted, check, form};

const HALF: (&str, char, Format) = ("f16", 'q', F16);
const BHALF: (&str, char, Format) = ("bf16", 'w', BF16);

/// The same form on both halves of 32 bits.
fn paired(single: Form) -> Form {
    let kinds = single.kinds.replace('q', "x").replace('w', "y");
    let text = single.text.replace("f16 ", "f16x2 ");
    let wanted = single.wanted;
    form(text, &kinds, move |operands| {
        let half = |shift: u32| match wanted(operands.map(|v| v >> shift & 0xffff)) {
            Wanted::Bits(bits) | Wanted::Number(_, bits) => bits,
            Wanted::Near { .. } => unreachable!("halves are compared bit for bit"),
        };
        half(16) << 16 | half(0)
    })
}

/// Each form alone and in pairs.
fn both(singles: impl Fn() -> Vec<Form>) {
    check(singles().into_iter().chain(singles().into_iter().map(paired)).collect());
}

#[test]
fn arithmetic_of_halves() {
    both(|| {
        let mut forms = vec![];
        for ftz in ["", ".ftz"] {
            for sat in ["", ".sat"] {
                for rn in ["", ".rn"] {
                    for operation in ARITHMETIC {
                        let modifiers = format!("{rn}{ftz}{sat}");
                        forms.push(arithmetic(operation, &modifiers, HALF, Round::Near));
                    }
                }
                let modifiers = format!(".rn{ftz}{sat}");
                forms.push(arithmetic(FUSED, &modifiers, HALF, Round::Near));
            }
            forms.push(arithmetic(FUSED, &format!(".rn{ftz}.relu"), HALF, Round::Near));
        }
        for rn in ["", ".rn"] {
            for operation in ARITHMETIC {
                forms.push(arithmetic(operation, rn, BHALF, Round::Near));
            }
        }
        for modifiers in [".rn", ".rn.relu"] {
            forms.push(arithmetic(FUSED, modifiers, BHALF, Round::Near));
        }
        forms
    });
}

#[test]
fn minima_and_maxima_of_halves() {
    both(|| {
        let mut forms = vec![];
        extremes(HALF, &["", ".ftz"], &["", ".NaN"], &mut forms);
        extremes(BHALF, &[""], &["", ".NaN"], &mut forms);
        forms
    });
}

#[test]
fn signs_of_halves() {
    both(|| {
        let mut forms = vec![];
        for (ty, kind, format, ftz) in
            [("f16", 'q', F16, false), ("f16", 'q', F16, true), ("bf16", 'w', BF16, false)]
        {
            for (name, magnitude) in [("abs", true), ("neg", false)] {
                let dot = if ftz { ".ftz" } else { "" };
                let text = format!("{name}{dot}.{ty} {{d}}, {{a}};");
                forms.push(form(text, &format!("{kind}{kind}"), move |[a, ..]| {
                    let a = if ftz { format.flushed(a) } else { a };
                    if format.is_nan(a) {
                        return format.nan();
                    }
                    if magnitude { a & 0x7fff } else { a ^ 0x8000 }
                }));
            }
        }
        forms
    });
}

/// PTX ISA, "ex2" and "tanh" of half precision.
#[test]
fn functions_of_halves() {
    type One = fn(f64) -> f64;
    // instruction, format, function, relative and absolute error
    let table: [(&str, &str, Format, One, f64, f64); 4] = [
        ("ex2.approx", "f16", F16, f64::exp2, -9.9, -24.0),
        ("ex2.approx.ftz", "bf16", BF16, f64::exp2, -7.0, -126.0),
        ("tanh.approx", "f16", F16, f64::tanh, -99.0, -10.987),
        ("tanh.approx", "bf16", BF16, f64::tanh, -8.0, -133.0),
    ];
    let mut forms = vec![];
    for (name, ty, format, f, relative, absolute) in table {
        let near = move |a: u64| {
            let value = f(format.number(a));
            let error = 2_f64.powf(absolute).max(2_f64.powf(relative) * value.abs());
            Wanted::Near { format, value, error }
        };
        let (one, two) = if ty == "f16" { ("qq", "xx") } else { ("ww", "yy") };
        forms.push(form(format!("{name}.{ty} {{d}}, {{a}};"), one, move |[a, ..]| near(a)));
        let pair = format!("{name}.{ty}x2 {{d}}, {{a}};");
        let low = format!("{pair}\nand.b32 {{d}}, {{d}}, 65535;");
        forms.push(form(low, two, move |[a, ..]| near(a & 0xffff)));
        let high = format!("{pair}\nshr.u32 {{d}}, {{d}}, 16;");
        forms.push(form(high, two, move |[a, ..]| near(a >> 16)));
    }
    check(forms);
}
