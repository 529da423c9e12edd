//! Second operations of scalar video instructions, as ptxas 13.0 translates them for `sm_90`. The
//! instructions themselves are in `ptx-cases`.

use super::{check, form, signed, value};

/// A comparison sees 64 bits: for `s32` those of signed numbers, for `u32` those of unsigned ones,
/// in which a negative number is a large one. `vadd` and `vsub` hand over the low 32 bits of their
/// result, extended with their sign.
#[test]
fn second_operations_compare_64_bits() {
    let mut forms = vec![];
    for (to, to_signed) in [("u32", false), ("s32", true)] {
        for (of, of_signed) in [("u32", false), ("s32", true)] {
            for op in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"] {
                for second in ["min", "max"] {
                    let text = format!("{op}.{to}.{of}.{of}.{second} {{d}}, {{a}}, {{b}}, {{c}};");
                    forms.push(form(text, "rrrr", move |[a, b, c]| {
                        let (x, y) = (value(a, 32, of_signed), value(b, 32, of_signed));
                        let first = match op {
                            "vadd" => signed((x + y) as u64, 32),
                            "vsub" => signed((x - y) as u64, 32),
                            "vabsdiff" => (x - y).abs(),
                            "vmin" => x.min(y),
                            _ => x.max(y),
                        };
                        let third = value(c, 32, to_signed);
                        let greater =
                            if to_signed { first > third } else { first as u64 > third as u64 };
                        let result = if greater == (second == "max") { first } else { third };
                        result as u64 & 0xffff_ffff
                    }));
                }
            }
        }
    }
    check(forms);
}
