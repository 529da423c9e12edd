//! One instruction at a time, over special and random values, with results from plain Rust. A case
//! is data: the text of a kernel, its inputs and the expected results.
//!
//! A case's kernel takes the addresses of three inputs and a result, arrays of [`ELEMENTS`] 64-bit
//! elements, and works on one element per thread, in blocks of 64.

mod approx;
mod compare;
mod convert;
mod float;
mod integer;
mod matrices;
mod memory;
mod moves;
mod narrow;
mod open;
mod small;
mod sums;
mod values;
mod video;
mod warp;
mod wmma;

use std::cell::{Cell, RefCell};

use crate::{Launch, Random};
pub use values::ELEMENTS;
use values::{bits, mask};

/// One instruction, or a few that belong together.
#[derive(Debug, Clone)]
pub struct Case {
    /// The text of the instructions.
    pub instruction: String,
    /// The least compute capability that has them: 80 for `sm_80`.
    pub target: u32,
    /// Everything of the kernel between its braces.
    body: String,
    /// The three inputs.
    pub inputs: [Vec<u64>; 3],
    /// The result that each thread must store.
    pub expected: Vec<u64>,
    /// How results are compared.
    pub comparison: Comparison,
    /// Results are `f64`; else `f32`, where they are numbers at all.
    wide: bool,
}

/// How a result is compared with the expected one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Comparison {
    /// Bit for bit.
    Bits,
    /// An `f32` in the low half: bit for bit, or both NaN.
    F32,
    /// An `f64`: bit for bit, or both NaN.
    F64,
    /// With an error of at most the greater of the two bounds, or both NaN.
    Within {
        /// Relative to the expected result.
        relative: f64,
        /// Absolute.
        absolute: f64,
    },
}

impl Case {
    /// The kernel, as an entry of this name.
    pub fn kernel(&self, name: &str) -> String {
        format!(
            ".visible .entry {name}(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{{\n{}}}\n",
            self.body
        )
    }

    /// A launch of it as `name`: the three inputs, then the result.
    pub fn launch(&self, name: &str) -> Launch {
        let [a, b, c] = &self.inputs;
        Launch::new("", name)
            .grid(ELEMENTS as u32 / 64, 1, 1)
            .block(64, 1, 1)
            .buffer(a)
            .buffer(b)
            .buffer(c)
            .zeros(ELEMENTS, 8)
    }

    /// A result as a number.
    fn number(&self, bits: u64) -> f64 {
        if self.wide { f64::from_bits(bits) } else { f32::from_bits(bits as u32).into() }
    }

    fn agrees(&self, got: u64, expected: u64) -> bool {
        let (number, wanted) = (self.number(got), self.number(expected));
        got == expected
            || match self.comparison {
                Comparison::Bits => false,
                Comparison::F32 | Comparison::F64 => number.is_nan() && wanted.is_nan(),
                Comparison::Within { relative, absolute } => {
                    let error = (number - wanted).abs();
                    number.is_nan() && wanted.is_nan()
                        || error <= absolute.max(relative * wanted.abs())
                }
            }
    }

    /// The greatest error of approximate finite results, in units in the last place of the expected
    /// number; `None` for cases with exact results.
    pub fn ulps(&self, results: &[u64]) -> Option<f64> {
        let Comparison::Within { .. } = self.comparison else { return None };
        let digits = if self.wide { 52 } else { 23 };
        let least = if self.wide { f64::MIN_POSITIVE } else { f32::MIN_POSITIVE.into() };
        let error = |(got, expected): (&u64, &u64)| {
            let (number, wanted) = (self.number(*got), self.number(*expected));
            let exponent = (wanted.abs().max(least).to_bits() >> 52) as i32 - 1023;
            (number - wanted).abs() / 2_f64.powi(exponent - digits)
        };
        let errors = results.iter().zip(&self.expected).map(error);
        Some(errors.filter(|e| e.is_finite()).fold(0.0, f64::max))
    }

    /// The index of the first wrong element, and the number of wrong elements.
    pub fn wrong(&self, results: &[u64]) -> (Option<usize>, usize) {
        let wrong = |i: &usize| !self.agrees(results[*i], self.expected[*i]);
        let mut all = (0..ELEMENTS).filter(wrong);
        let first = all.next();
        (first, all.count() + usize::from(first.is_some()))
    }
}

/// A module with the kernels of several cases, `k0`, `k1` and so on, for the highest of their
/// targets.
pub fn module(cases: &[Case]) -> String {
    let target = cases.iter().map(|c| c.target).max().unwrap_or(75);
    let kernels: Vec<String> =
        cases.iter().enumerate().map(|(n, case)| case.kernel(&format!("k{n}"))).collect();
    format!(".version 8.0\n.target sm_{target}\n.address_size 64\n{}", kernels.concat())
}

/// A hash of results (FNV-1a, 64 bits).
pub fn digest(results: &[u64]) -> u64 {
    results
        .iter()
        .flat_map(|r| r.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// The cases of a group.
pub type Group = fn(&Table);

/// All groups by name.
pub const GROUPS: [(&str, Group); 36] = [
    ("integer_arithmetic_of_every_width", integer::integer_arithmetic_of_every_width),
    ("logic_and_bits_of_every_width", integer::logic_and_bits_of_every_width),
    ("thirty_two_bit_specialities", integer::thirty_two_bit_specialities),
    ("comparisons", compare::comparisons),
    ("conversions_between_integers", convert::conversions_between_integers),
    ("conversions_with_floats", convert::conversions_with_floats),
    ("floating_point_arithmetic", float::floating_point_arithmetic),
    ("half_precision", float::half_precision),
    ("guards_leave_the_others_alone", moves::guards_leave_the_others_alone),
    ("packing_and_unpacking", moves::packing_and_unpacking),
    ("loads_extend_and_stores_cut", memory::loads_extend_and_stores_cut),
    ("vectors_move_in_one_piece", memory::vectors_move_in_one_piece),
    (
        "generic_addresses_of_three_spaces_in_one_warp",
        memory::generic_addresses_of_three_spaces_in_one_warp,
    ),
    ("atomics_of_every_kind", memory::atomics_of_every_kind),
    ("shuffles_with_every_segment", warp::shuffles_with_every_segment),
    ("votes_matches_and_reductions", warp::votes_matches_and_reductions),
    ("barriers_that_count", warp::barriers_that_count),
    ("special_registers", warp::special_registers),
    ("nans_of_f32", open::nans_of_f32),
    ("nans_of_f64", open::nans_of_f64),
    ("nans_of_halves", open::nans_of_halves),
    ("nans_as_integers", open::nans_as_integers),
    ("division_by_zero", open::division_by_zero),
    ("approximations", approx::approximations),
    ("approximate_divisions", approx::approximate_divisions),
    ("seeds_of_f64", approx::seeds_of_f64),
    ("carries_after_other_operations", integer::carries_after_other_operations),
    ("eight_bit_floats", narrow::eight_bit_floats),
    ("packed_integers", narrow::packed_integers),
    ("video_of_chosen_parts", video::video_of_chosen_parts),
    ("video_of_all_parts", video::video_of_all_parts),
    ("matrices_in_a_warp", memory::matrices_in_a_warp),
    ("matrices_of_floats", matrices::matrices_of_floats),
    ("matrices_of_integers", matrices::matrices_of_integers),
    ("fragments_of_matrices", wmma::fragments_of_matrices),
    ("products_of_fragments", wmma::products_of_fragments),
];

/// The cases of the group with this name.
pub fn cases(name: &str) -> Vec<Case> {
    let table = Table::default();
    if let Some((_, group)) = GROUPS.iter().find(|g| g.0 == name) {
        group(&table);
    }
    table.cases.into_inner()
}

/// Collects a group's cases.
#[derive(Debug)]
pub struct Table {
    cases: RefCell<Vec<Case>>,
    target: Cell<u32>,
}

impl Default for Table {
    fn default() -> Self {
        Self { cases: RefCell::default(), target: Cell::new(80) }
    }
}

impl Table {
    /// Sets the compute capability of the cases that are added from here on.
    pub fn target(&self, target: u32) {
        self.target.set(target);
    }

    /// `text` uses `{d}`, `{a}`, `{b}`, `{c}`; `kinds` are those of d and the sources: `h` 16 bits,
    /// `r` 32, `d` 64, `p` a predicate, `f` f32 values, `g` f64 values. Inputs are special and
    /// random values, the same every time.
    fn case(&self, text: &str, kinds: &str, f: impl Fn(u64, u64, u64) -> u64) {
        let seed = text.bytes().fold(7, |s: u64, b| s.wrapping_mul(31).wrapping_add(u64::from(b)));
        let mut random = Random(seed);
        let kinds: Vec<char> = kinds.chars().collect();
        let inputs = [1, 2, 3]
            .map(|n| kinds.get(n).map_or(vec![0; ELEMENTS], |k| values::values(*k, &mut random)));
        self.with_inputs(text, &kinds, inputs, f);
    }

    /// The same with chosen inputs.
    fn with_inputs(
        &self,
        text: &str,
        kinds: &[char],
        inputs: [Vec<u64>; 3],
        f: impl Fn(u64, u64, u64) -> u64,
    ) {
        self.elements(text, kinds, inputs, |[a, b, c], i| f(a[i], b[i], c[i]));
    }

    /// The same for results that depend on other threads' inputs: `f` takes all inputs and the
    /// element's index.
    fn elements(
        &self,
        text: &str,
        kinds: &[char],
        inputs: [Vec<u64>; 3],
        f: impl Fn(&[Vec<u64>; 3], usize) -> u64,
    ) {
        let mut loads = String::new();
        let mut instruction = text.to_owned();
        for (n, kind) in kinds.iter().enumerate() {
            let letter = ["d", "a", "b", "c"][n];
            let file = match kind {
                'h' => "h",
                'r' | 'f' => "r",
                'p' => "p",
                _ => "x",
            };
            let register = format!("%{file}{n}");
            instruction = instruction.replace(&format!("{{{letter}}}"), &register);
            if n == 0 {
                continue;
            }
            loads += &format!(
                "ld.param.u64 %x10, [{letter}];\nadd.s64 %x10, %x10, %x9;\nld.global.u64 %x11, [%x10];\n"
            );
            loads += &match file {
                "h" => format!("cvt.u16.u64 {register}, %x11;\n"),
                "r" => format!("cvt.u32.u64 {register}, %x11;\n"),
                "p" => format!("setp.ne.s64 {register}, %x11, 0;\n"),
                _ => format!("mov.b64 {register}, %x11;\n"),
            };
        }
        let widen = match bits(kinds[0]) {
            16 => "cvt.u64.u16 %x12, %h0;",
            32 => "cvt.u64.u32 %x12, %r0;",
            1 => "selp.b64 %x12, 1, 0, %p0;",
            _ => "mov.b64 %x12, %x0;",
        };
        let body = format!(
            ".reg .b16 %h<16>;\n.reg .b32 %r<24>;\n.reg .b64 %x<16>;\n.reg .pred %p<16>;\n\
             mov.u32 %r20, %tid.x;\nmov.u32 %r21, %ctaid.x;\nmad.lo.s32 %r20, %r21, 64, %r20;\nmul.wide.u32 %x9, %r20, 8;\n\
             {loads}{instruction}\n{widen}\nld.param.u64 %x10, [d];\nadd.s64 %x10, %x10, %x9;\nst.global.u64 [%x10], %x12;\nret;\n"
        );
        let expected = (0..ELEMENTS).map(|i| f(&inputs, i) & mask(bits(kinds[0]))).collect();
        let comparison = match kinds[0] {
            'f' => Comparison::F32,
            'g' => Comparison::F64,
            _ => Comparison::Bits,
        };
        self.add(Case {
            instruction,
            target: self.target.get(),
            body,
            inputs,
            expected,
            comparison,
            wide: comparison == Comparison::F64,
        });
    }

    /// Adds a case with a whole body. The thread's element has index %r20 (in its block %r21) and
    /// its addresses in a, b, d are %x1, %x2, %x3; %x4 and %x5 are the elements of a and b. There
    /// are 1024 shared bytes `tile` and 32 local bytes `own`. The body leaves its result in %x6.
    /// `f` takes the index and both elements.
    fn memory(&self, body: &str, f: impl Fn(usize, u64, u64) -> u64) {
        self.memory_of_all(body, |[a, b], i| f(i, a[i], b[i]));
    }

    /// The same for results that depend on other threads' elements: `f` takes all elements of a and
    /// b, and the thread's index.
    fn memory_of_all(&self, body: &str, f: impl Fn([&[u64]; 2], usize) -> u64) {
        let mut random = Random(body.len() as u64);
        let inputs =
            [values::values('d', &mut random), values::values('d', &mut random), vec![0; ELEMENTS]];
        let expected = (0..ELEMENTS).map(|i| f([&inputs[0], &inputs[1]], i)).collect();
        let text = format!(
            ".reg .b16 %h<16>;\n.reg .b32 %r<24>;\n.reg .b64 %x<24>;\n.reg .pred %p<16>;\n\
             .shared .align 16 .b8 tile[1024];\n.local .align 16 .b8 own[32];\n\
             mov.u32 %r21, %tid.x;\nmov.u32 %r22, %ctaid.x;\nmad.lo.s32 %r20, %r22, 64, %r21;\nmul.wide.u32 %x0, %r20, 8;\n\
             ld.param.u64 %x1, [a];\nadd.s64 %x1, %x1, %x0;\nld.param.u64 %x2, [b];\nadd.s64 %x2, %x2, %x0;\n\
             ld.param.u64 %x3, [d];\nadd.s64 %x3, %x3, %x0;\nld.global.u64 %x4, [%x1];\nld.global.u64 %x5, [%x2];\n{body}\n\
             st.global.u64 [%x3], %x6;\nret;\n"
        );
        self.add(Case {
            instruction: body.to_owned(),
            target: self.target.get(),
            body: text,
            inputs,
            expected,
            comparison: Comparison::Bits,
            wide: false,
        });
    }

    /// Adds a case of a warp that works on matrices. The thread's elements of a, b and c are %x4,
    /// %x5 and %x7, and those of the same lane of the block's other warp %x14, %x15 and %x17. %x11,
    /// %x12 and %x13 point to a, b and c, and %r21 is the thread in its block. There are 4096
    /// shared bytes each at `first`, `second` and `third`. The body leaves its result in %x6.
    fn warps(&self, text: &str, body: &str, inputs: [Vec<u64>; 3], expected: Vec<u64>) {
        let mut loads = String::new();
        for (n, (letter, value)) in [("a", 4), ("b", 5), ("c", 7)].into_iter().enumerate() {
            let pointer = 11 + n;
            loads += &format!(
                "ld.param.u64 %x{pointer}, [{letter}];\nadd.s64 %x0, %x{pointer}, %x1;\nld.global.u64 %x{value}, [%x0];\n\
                 add.s64 %x0, %x{pointer}, %x2;\nld.global.u64 %x1{value}, [%x0];\n"
            );
        }
        let shared = ["first", "second", "third"]
            .map(|name| format!(".shared .align 32 .b8 {name}[4096];\n"))
            .concat();
        let body = format!(
            ".reg .b32 %r<80>;\n.reg .b64 %x<24>;\n{shared}\
             mov.u32 %r21, %tid.x;\nmov.u32 %r22, %ctaid.x;\nmad.lo.s32 %r20, %r22, 64, %r21;\n\
             mul.wide.u32 %x1, %r20, 8;\nxor.b64 %x2, %x1, 256;\n{loads}{body}\n\
             ld.param.u64 %x10, [d];\nadd.s64 %x10, %x10, %x1;\nst.global.u64 [%x10], %x6;\nret;\n"
        );
        self.add(Case {
            instruction: text.to_owned(),
            target: self.target.get(),
            body,
            inputs,
            expected,
            comparison: Comparison::Bits,
            wide: false,
        });
    }

    fn add(&self, case: Case) {
        self.cases.borrow_mut().push(case);
    }
}
