//! Every arithmetic instruction with all its modifiers, over random bit patterns, against a plain
//! definition of its result ([`number`] for floating point, loops over bits for integers).
//! `instructions.rs` compares a part of these forms with results recorded on a GPU.
//!
//! A new instruction is one more `form(...)` in the file of its type.

mod approximations;
mod comparisons;
mod conversions;
mod floats;
mod halves;
mod integers;
pub mod number;
mod patterns;
mod video;

use crate::common::{Kernel, module};
use number::{BF16, F16, F32, F64, Format};
use proptest::prelude::*;
use ptx_cases::Random;
use ptxsim::{Diagnose, Module, Options};
use std::sync::Arc;

/// Threads of a launch; each has its own operands.
const THREADS: usize = 512;

/// The expected result.
#[derive(Debug, Clone, Copy)]
pub enum Wanted {
    Bits(u64),
    /// A number of this format; all NaNs are equal.
    Number(Format, u64),
    /// A number of this format, within `error` of `value`.
    Near {
        format: Format,
        value: f64,
        error: f64,
    },
}

impl From<u64> for Wanted {
    fn from(bits: u64) -> Self {
        Self::Bits(bits)
    }
}

impl Wanted {
    fn is(self, got: u64) -> bool {
        match self {
            Self::Bits(bits) => got == bits,
            Self::Number(format, bits) => got == bits || format.is_nan(got) && format.is_nan(bits),
            Self::Near { format, value, error } => {
                let got = format.number(got);
                // a value that rounds to infinity may be infinite
                let beyond =
                    got.is_infinite() && got.is_sign_negative() == value.is_sign_negative();
                let greatest = format.number(format.greatest());
                got == value
                    || got.is_nan() && value.is_nan()
                    || (got - value).abs() <= error
                    || beyond && value.abs() + error >= greatest
            }
        }
    }
}

/// An instruction and its definition.
pub struct Form {
    text: String,
    /// The kinds of the destination and of the sources: `h`, `r`, `d` are integers of 16, 32 and 64
    /// bits, `p` predicates, `f`, `g`, `q`, `w` bit patterns of `f32`, `f64`, `f16`, `bf16`, and
    /// `x`, `y` pairs of the latter two.
    kinds: String,
    wanted: Box<dyn Fn([u64; 3]) -> Wanted>,
}

/// Makes a form. The text has `{d}`, `{a}`, `{b}`, `{c}` for its operands.
pub fn form<W: Into<Wanted>>(
    text: impl Into<String>,
    kinds: &str,
    wanted: impl Fn([u64; 3]) -> W + 'static,
) -> Form {
    let wanted = Box::new(move |operands| wanted(operands).into());
    Form { text: text.into(), kinds: kinds.to_owned(), wanted }
}

fn bits(kind: char) -> u32 {
    match kind {
        'h' | 'q' | 'w' => 16,
        'r' | 'f' | 'x' | 'y' => 32,
        'p' => 1,
        _ => 64,
    }
}

pub fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// The signed value of the low `bits` bits.
pub fn signed(v: u64, bits: u32) -> i128 {
    i128::from((v << (64 - bits)) as i64 >> (64 - bits))
}

/// The same, signed or unsigned.
pub fn value(v: u64, bits: u32, sign: bool) -> i128 {
    if sign { signed(v, bits) } else { i128::from(v & mask(bits)) }
}

impl Form {
    fn kernel(&self, name: usize) -> String {
        let mut text = self.text.clone();
        let mut loads = String::new();
        for (n, kind) in self.kinds.chars().enumerate() {
            let file = match bits(kind) {
                16 => "%h",
                32 => "%r",
                1 => "%p",
                _ => "%x",
            };
            let letter = ["d", "a", "b", "c"][n];
            text = text.replace(&format!("{{{letter}}}"), &format!("{file}{n}"));
            if n == 0 {
                continue;
            }
            loads += &format!(
                "ld.param.u64 %x10, [{letter}];\nadd.s64 %x10, %x10, %x9;\nld.global.u64 %x11, [%x10];\n"
            );
            loads += &match file {
                "%h" => format!("cvt.u16.u64 %h{n}, %x11;\n"),
                "%r" => format!("cvt.u32.u64 %r{n}, %x11;\n"),
                "%p" => format!("setp.ne.s64 %p{n}, %x11, 0;\n"),
                _ => format!("mov.b64 %x{n}, %x11;\n"),
            };
        }
        let widen = match bits(self.kinds.chars().next().unwrap_or('d')) {
            16 => "cvt.u64.u16 %x12, %h0;",
            32 => "cvt.u64.u32 %x12, %r0;",
            1 => "selp.b64 %x12, 1, 0, %p0;",
            _ => "mov.b64 %x12, %x0;",
        };
        format!(
            ".visible .entry k{name}(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{{\n\
             .reg .b16 %h<16>;\n.reg .b32 %r<24>;\n.reg .b64 %x<16>;\n.reg .pred %p<16>;\n\
             mov.u32 %r20, %tid.x;\nmul.wide.u32 %x9, %r20, 8;\n{loads}{text}\n{widen}\nld.param.u64 %x10, [d];\n\
             add.s64 %x10, %x10, %x9;\nst.global.u64 [%x10], %x12;\nret;\n}}\n"
        )
    }

    /// Random operands of the form's kinds.
    fn operands(&self, random: &mut Random) -> [u64; 3] {
        let kinds: Vec<char> = self.kinds.chars().skip(1).collect();
        let format = |kind| match kind {
            'f' => Some(F32),
            'g' => Some(F64),
            'q' | 'x' => Some(F16),
            'w' | 'y' => Some(BF16),
            _ => None,
        };
        let first = kinds[0];
        let mut all = [0; 3];
        if let Some(format) = format(first) {
            all = patterns::triple(format, random);
            if matches!(first, 'x' | 'y') {
                let high = patterns::triple(format, random);
                all = [0, 1, 2].map(|n: usize| all[n] | high[n] << 16);
            }
        }
        for (n, kind) in kinds.iter().enumerate() {
            match format(*kind) {
                Some(_) if *kind == first => {}
                Some(format) => all[n] = patterns::float(format, random),
                None => all[n] = patterns::integer(random) & mask(bits(*kind)),
            }
        }
        all
    }
}

fn run(module: &Arc<Module>, n: usize, inputs: &[Vec<u64>; 3]) -> Vec<u64> {
    let kernel = Kernel::new(module, &format!("k{n}")).block(THREADS as u32, 1, 1);
    let kernel = kernel.buffer("a", &inputs[0]).buffer("b", &inputs[1]).buffer("c", &inputs[2]);
    let options = Options { diagnose: Diagnose::Bounds, ..Options::default() };
    let ran = kernel.uninitialised::<u64>("d", THREADS).run(&options);
    assert!(ran.seen.completed && ran.seen.findings.is_empty(), "{:?}", ran.seen.findings);
    ran.get("d")
}

/// Runs every form with random operands and compares the results with the definition.
#[track_caller]
pub fn check(forms: Vec<Form>) {
    let kernels: String = forms.iter().enumerate().map(|(n, form)| form.kernel(n)).collect();
    let text = format!(".version 9.0\n.target sm_90\n.address_size 64\n{kernels}");
    let module = module(&text);
    let config =
        ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(seed: u64)| {
        let mut random = Random(seed);
        let mut wrong = vec![];
        for (n, form) in forms.iter().enumerate() {
            let operands: Vec<[u64; 3]> =
                (0..THREADS).map(|_| form.operands(&mut random)).collect();
            let inputs = [0, 1, 2].map(|n: usize| operands.iter().map(|o| o[n]).collect());
            let results = run(&module, n, &inputs);
            let bad = results.iter().zip(&operands).find_map(|(got, operands)| {
                let wanted = (form.wanted)(*operands);
                (!wanted.is(*got)).then_some((operands, got, wanted))
            });
            if let Some((operands, got, wanted)) = bad {
                wrong.push(format!("`{}` of {operands:x?} is {got:x}, not {wanted:x?}", form.text));
            }
        }
        prop_assert!(wrong.is_empty(), "{} of {} forms:\n{}", wrong.len(), forms.len(), wrong.join("\n"));
    });
}
