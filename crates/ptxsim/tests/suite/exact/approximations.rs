//! The `.approx` instructions of `f32` within the errors that the PTX ISA states, over all bit
//! patterns.

use super::number::{F32, Format};
use super::{Wanted, check, form};

type One = fn(f64) -> f64;

/// Error bounds, relative to the result and absolute; both as powers of two.
struct Error {
    relative: f64,
    absolute: f64,
}

impl Error {
    fn of(&self, value: f64) -> f64 {
        2_f64.powf(self.absolute).max(2_f64.powf(self.relative) * value.abs())
    }
}

fn flush(format: Format, bits: u64, on: bool) -> u64 {
    if on { format.flushed(bits) } else { bits }
}

/// Results below the normal numbers are zeros with `.ftz`.
fn flushed(value: f64, on: bool) -> f64 {
    if on && value.abs() < f64::from(f32::MIN_POSITIVE) { 0.0_f64.copysign(value) } else { value }
}

#[test]
fn functions() {
    let relative = |e| Error { relative: e, absolute: -149.0 };
    let table: [(&str, One, Error); 6] = [
        ("rcp.approx", |a| 1.0 / a, relative(-23.0)),
        ("sqrt.approx", f64::sqrt, relative(-23.0)),
        ("rsqrt.approx", |a| 1.0 / a.sqrt(), relative(-22.9)),
        ("ex2.approx", f64::exp2, relative(-22.5)),
        ("lg2.approx", f64::log2, Error { relative: -22.0, absolute: -22.0 }),
        ("tanh.approx", f64::tanh, relative(-11.0)),
    ];
    let mut forms = vec![];
    for (name, f, error) in table {
        let error = std::rc::Rc::new(error);
        for ftz in [false, true] {
            if ftz && name.starts_with("tanh") {
                continue;
            }
            let error = error.clone();
            let dot = if ftz { ".ftz" } else { "" };
            forms.push(form(format!("{name}{dot}.f32 {{d}}, {{a}};"), "ff", move |[a, ..]| {
                let value = flushed(f(F32.number(flush(F32, a, ftz))), ftz);
                // a result near the smallest normal number may be flushed or not
                let edge =
                    if ftz && value.abs() < 1.2e-38 { f64::from(f32::MIN_POSITIVE) } else { 0.0 };
                Wanted::Near { format: F32, value, error: error.of(value).max(edge) }
            }));
        }
    }
    check(forms);
}

/// PTX ISA, "sin" and "cos": 2^-20.5 absolutely from -pi to pi, 2^-14.7 up to 100 pi.
#[test]
fn sines_and_cosines() {
    let waves: [(&str, One); 2] = [("sin", f64::sin), ("cos", f64::cos)];
    let mut forms = vec![];
    for (name, f) in waves {
        for (range, error) in [(std::f64::consts::PI, -20.5), (100.0 * std::f64::consts::PI, -14.7)]
        {
            for ftz in ["", ".ftz"] {
                // an integer from -2^31 to 2^31, scaled to the range
                let text = format!(
                    "cvt.rn.f32.s32 {{a}}, {{a}};\nmul.rn.f32 {{a}}, {{a}}, 0f{:08X};\n{name}.approx{ftz}.f32 {{d}}, {{a}};",
                    ((range / 2_f64.powi(31)) as f32).to_bits()
                );
                forms.push(form(text, "rr", move |[a, ..]| {
                    let a = a as u32 as i32 as f32 * (range / 2_f64.powi(31)) as f32;
                    let value = f(a.into());
                    Wanted::Near { format: F32, value, error: 2_f64.powf(error) }
                }));
            }
        }
    }
    check(forms);
}

/// PTX ISA, "div": two ulps; `.approx` gives zero for a divisor beyond 2^126, `.full` does not.
#[test]
fn quotients() {
    let mut forms = vec![];
    for (name, full) in [("approx", false), ("full", true)] {
        for ftz in [false, true] {
            let dot = if ftz { ".ftz" } else { "" };
            let text = format!("div.{name}{dot}.f32 {{d}}, {{a}}, {{b}};");
            forms.push(form(text, "fff", move |[a, b, _]| {
                let [a, b] = [a, b].map(|v| F32.number(flush(F32, v, ftz)));
                let far = !full && b.abs() > 2_f64.powi(126) && b.is_finite();
                let value = if far { a * 0.0_f64.copysign(b) } else { a / b };
                let edge =
                    if ftz && value.abs() < 1.2e-38 { f64::from(f32::MIN_POSITIVE) } else { 0.0 };
                let error = 2_f64.powi(-149).max(2_f64.powi(-22) * value.abs()).max(edge);
                Wanted::Near { format: F32, value: flushed(value, ftz), error }
            }));
        }
    }
    check(forms);
}
