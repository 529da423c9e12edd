//! Compares one output with its reference, element by element, without copying either.

use half::f16;

use crate::spec::Tolerance;
use crate::value::{Array, DType};

/// The factor of [`Tolerance::Roundings`]. Rounding errors add up like a random walk with steps of
/// at most half an eps, so a factor of four is eight standard deviations.
const ROUNDING_FACTOR: f64 = 4.0;

/// An element's value. Integers of all widths stay exact.
#[derive(Debug, Clone, Copy)]
pub enum Number {
    /// Any integer type.
    Int(i128),
    /// `float` or `double`.
    Float(f64),
}

impl Number {
    /// The value as f64; 64-bit integers may round.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Int(v) => v as f64,
            Self::Float(v) => v,
        }
    }
}

/// The value of an element that contains nothing but the pattern of [`crate::backend::Output`];
/// `None` of elements smaller than the pattern, which gives them several values.
pub fn fill_value(dtype: DType, poison: [u8; 4]) -> Option<f64> {
    let [a, b, c, d] = poison;
    let long = [a, b, c, d, a, b, c, d];
    Some(match dtype {
        DType::U8 | DType::I8 | DType::F16 => return None,
        DType::I32 => f64::from(i32::from_le_bytes(poison)),
        DType::U32 => f64::from(u32::from_le_bytes(poison)),
        DType::I64 => i64::from_le_bytes(long) as f64,
        DType::U64 => u64::from_le_bytes(long) as f64,
        DType::F32 => f64::from(f32::from_le_bytes(poison)),
        DType::F64 => f64::from_le_bytes(long),
    })
}

/// An output of the learner's code beside its reference.
pub struct Comparison<'a> {
    dtype: DType,
    bytes: &'a [u8],
    reference: &'a Array,
    rule: Tolerance,
    /// The typical magnitude of the values: the mean of the finite reference values' magnitudes, or
    /// more.
    magnitude: f64,
    /// The tolerance of [`Tolerance::Roundings`] is this part of an element's magnitude.
    rounding: f64,
}

/// The machine epsilon of a floating-point type; 0 of an integer.
fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => f16::EPSILON.into(),
        DType::F32 => f32::EPSILON.into(),
        DType::F64 => f64::EPSILON,
        _ => 0.0,
    }
}

/// The mean magnitude of an array's finite values; 0 if there are none.
pub fn mean_magnitude(array: &Array) -> f64 {
    let finite = (0..array.len()).map(|i| array.get_f64(i).abs()).filter(|v| v.is_finite());
    let (sum, count) =
        finite.fold((0.0, 0_u32), |(sum, count), v| (sum + v, count.saturating_add(1)));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

impl<'a> Comparison<'a> {
    /// Compares `bytes`, elements of `dtype`, with `reference`.
    pub fn new(dtype: DType, bytes: &'a [u8], reference: &'a Array, rule: Tolerance) -> Self {
        let magnitude =
            if matches!(rule, Tolerance::Roundings(_)) { mean_magnitude(reference) } else { 0.0 };
        let rounding = match rule {
            Tolerance::OwnRoundings(_) if dtype == DType::F16 => 0.0,
            Tolerance::Roundings(k) | Tolerance::OwnRoundings(k) => {
                ROUNDING_FACTOR * f64::from(k).sqrt() * epsilon(dtype)
            }
            Tolerance::Exact | Tolerance::Within(_) => 0.0,
        };
        Self { dtype, bytes, reference, rule, magnitude, rounding }
    }

    /// The same comparison with at least this typical magnitude of the values.
    pub fn with_magnitude(self, magnitude: f64) -> Self {
        Self { magnitude: self.magnitude.max(magnitude), ..self }
    }

    /// Whether the elements are floating-point numbers.
    pub const fn is_of_floats(&self) -> bool {
        self.dtype.is_float()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.reference.len()
    }

    /// The learner's element `i`; NaN beyond the buffer.
    pub fn yours(&self, i: usize) -> Number {
        macro_rules! read {
            ($t:ty, $wrap:expr) => {{
                let word = self.bytes.get(i * size_of::<$t>()..).and_then(|b| b.first_chunk());
                word.map_or(Number::Float(f64::NAN), |w| $wrap(<$t>::from_le_bytes(*w).into()))
            }};
        }
        match self.dtype {
            DType::U8 => read!(u8, Number::Int),
            DType::I8 => read!(i8, Number::Int),
            DType::I32 => read!(i32, Number::Int),
            DType::U32 => read!(u32, Number::Int),
            DType::I64 => read!(i64, Number::Int),
            DType::U64 => read!(u64, Number::Int),
            DType::F16 => read!(f16, Number::Float),
            DType::F32 => read!(f32, Number::Float),
            DType::F64 => read!(f64, Number::Float),
        }
    }

    /// The reference's element `i`; NaN beyond its end.
    pub fn expected(&self, i: usize) -> Number {
        macro_rules! int {
            ($a:expr) => {
                $a.as_slice()
                    .and_then(|s| s.get(i))
                    .map_or(Number::Float(f64::NAN), |v| Number::Int((*v).into()))
            };
        }
        match self.reference {
            Array::U8(a) => int!(a),
            Array::I8(a) => int!(a),
            Array::I32(a) => int!(a),
            Array::U32(a) => int!(a),
            Array::I64(a) => int!(a),
            Array::U64(a) => int!(a),
            Array::F16(_) | Array::F32(_) | Array::F64(_) => {
                Number::Float(self.reference.get_f64(i))
            }
        }
    }

    /// The largest difference allowed at element `i`.
    ///
    /// * Integers: 0.
    /// * [`Tolerance::Exact`] floats: 0, after rounding the f64 reference to the output's type.
    /// * [`Tolerance::Within`]`(step)`: `step`.
    /// * [`Tolerance::Roundings`]`(k)`: `4 * sqrt(k) * eps * magnitude`, where eps is the type's
    ///   machine epsilon (2^-10 for `__half`, 2^-23 for `float`, 2^-52 for `double`) and the
    ///   magnitude is the larger of `|expected|` and the mean of `|expected|` over the output, so
    ///   that a sum which happens to cancel to nearly 0 need not be as precise as 0. An output of a
    ///   few elements may cancel as a whole; [`super::typical_magnitude`] computes how large it is
    ///   with other inputs.
    /// * [`Tolerance::OwnRoundings`]`(k)`: the same, and the magnitude is `|expected|`. A `__half`
    ///   has to be the rounded reference, because `k` is about the sums, which are floats.
    pub fn tolerance(&self, i: usize) -> f64 {
        match self.rule {
            _ if !self.dtype.is_float() => 0.0,
            Tolerance::Exact => 0.0,
            Tolerance::Within(step) => step,
            Tolerance::Roundings(_) | Tolerance::OwnRoundings(_) => {
                let magnitude = self.expected(i).as_f64().abs().max(self.magnitude);
                let tolerance = self.rounding * magnitude;
                // An infinite reference must be matched exactly, and an infinite tolerance would
                // allow everything.
                if tolerance.is_finite() { tolerance } else { 0.0 }
            }
        }
    }

    /// Whether the learner's element `i` has the expected value of element `j`.
    pub fn is_right(&self, i: usize, j: usize) -> bool {
        match (self.yours(i), self.expected(j)) {
            (Number::Int(yours), Number::Int(expected)) => yours == expected,
            (yours, expected) => self.is_near(yours.as_f64(), expected.as_f64(), self.tolerance(j)),
        }
    }

    /// The elements that are wrong, each compared with its own reference.
    pub fn wrong(&self) -> Vec<usize> {
        /// Most elements are equal to their rounded reference, which is decided in one loop
        /// without a choice of types; [`Self::is_right`] decides about the others.
        macro_rules! unequal {
            ($t:ty, $references:expr) => {{
                let (words, _) = self.bytes.as_chunks::<{ size_of::<$t>() }>();
                let references = $references.as_slice().unwrap_or_default();
                let pairs = words.iter().zip(references).enumerate();
                let unequal = pairs.filter(|(_, (word, reference))| {
                    <$t>::from_le_bytes(**word) != **reference as $t
                });
                let mut wrong: Vec<usize> =
                    unequal.map(|(i, _)| i).filter(|&i| !self.is_right(i, i)).collect();
                wrong.extend(words.len().min(references.len())..self.len());
                wrong
            }};
        }
        match (self.dtype, self.reference) {
            (DType::F32, Array::F64(references)) => unequal!(f32, references),
            (DType::F64, Array::F64(references)) => unequal!(f64, references),
            (DType::I32, Array::I32(references)) => unequal!(i32, references),
            (DType::U32, Array::U32(references)) => unequal!(u32, references),
            (DType::U8, Array::U8(references)) => unequal!(u8, references),
            _ => (0..self.len()).filter(|&i| !self.is_right(i, i)).collect(),
        }
    }

    fn is_near(&self, yours: f64, expected: f64, tolerance: f64) -> bool {
        let rounded = match self.dtype {
            DType::F16 => f16::from_f64(expected).to_f64(),
            DType::F32 => f64::from(expected as f32),
            _ => expected,
        };
        if expected.is_nan() {
            return false;
        }
        yours == rounded || (yours - expected).abs() <= tolerance
    }

    /// Whether element `i` is NaN or infinite although a finite number is expected.
    pub fn is_not_finite(&self, i: usize) -> bool {
        !self.yours(i).as_f64().is_finite() && self.expected(i).as_f64().is_finite()
    }

    /// Whether element `i` still has the bytes of the poison. For a smaller element, which may
    /// be equal by chance, the whole word around it is compared.
    pub fn is_untouched(&self, i: usize, poison: [u8; 4]) -> bool {
        let size = self.dtype.bytes();
        let (start, size) = match size {
            1 | 2 => {
                let start = ((i * size) & !3).min(self.bytes.len().saturating_sub(4));
                (start, self.bytes.len().min(4))
            }
            _ => (i * size, size),
        };
        let pattern = poison.into_iter().cycle().skip(start % 4);
        self.bytes
            .get(start..start + size)
            .is_some_and(|bytes| bytes.iter().zip(pattern).all(|(byte, poison)| *byte == poison))
    }
}
