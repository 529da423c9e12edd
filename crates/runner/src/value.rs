//! Arguments and results of kernels: typed scalars and n-dimensional arrays.

use half::f16;
use ndarray::ArrayD;
use serde::{Deserialize, Serialize};

/// An element type that a kernel's parameter can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DType {
    /// `unsigned char`
    U8,
    /// `signed char`
    I8,
    /// `int`
    I32,
    /// `unsigned int`
    U32,
    /// `long long`
    I64,
    /// `unsigned long long`, `size_t`
    U64,
    /// `__half`
    F16,
    /// `float`
    F32,
    /// `double`
    F64,
}

impl DType {
    /// Size of one element in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// The type as a learner writes it in CUDA C++.
    pub const fn cuda_name(self) -> &'static str {
        match self {
            Self::U8 => "unsigned char",
            Self::I8 => "signed char",
            Self::I32 => "int",
            Self::U32 => "unsigned int",
            Self::I64 => "long long",
            Self::U64 => "unsigned long long",
            Self::F16 => "__half",
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }

    /// True for the floating-point types.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }
}

/// One scalar argument.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Scalar {
    /// `int`
    I32(i32),
    /// `unsigned int`
    U32(u32),
    /// `long long`
    I64(i64),
    /// `unsigned long long`
    U64(u64),
    /// `float`
    F32(f32),
    /// `double`
    F64(f64),
}

impl Scalar {
    /// Its type.
    pub const fn dtype(self) -> DType {
        match self {
            Self::I32(_) => DType::I32,
            Self::U32(_) => DType::U32,
            Self::I64(_) => DType::I64,
            Self::U64(_) => DType::U64,
            Self::F32(_) => DType::F32,
            Self::F64(_) => DType::F64,
        }
    }

    /// Its value; a 64-bit integer may round.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::I32(v) => v.into(),
            Self::U32(v) => v.into(),
            Self::I64(v) => v as f64,
            Self::U64(v) => v as f64,
            Self::F32(v) => v.into(),
            Self::F64(v) => v,
        }
    }

    /// Its bytes, little-endian, as a kernel receives them.
    pub fn to_bytes(self) -> Vec<u8> {
        match self {
            Self::I32(v) => v.to_le_bytes().to_vec(),
            Self::U32(v) => v.to_le_bytes().to_vec(),
            Self::I64(v) => v.to_le_bytes().to_vec(),
            Self::U64(v) => v.to_le_bytes().to_vec(),
            Self::F32(v) => v.to_le_bytes().to_vec(),
            Self::F64(v) => v.to_le_bytes().to_vec(),
        }
    }
}

/// An n-dimensional array in row-major order.
#[derive(Debug, Clone, PartialEq)]
pub enum Array {
    /// `unsigned char`
    U8(ArrayD<u8>),
    /// `signed char`
    I8(ArrayD<i8>),
    /// `int`
    I32(ArrayD<i32>),
    /// `unsigned int`
    U32(ArrayD<u32>),
    /// `long long`
    I64(ArrayD<i64>),
    /// `unsigned long long`
    U64(ArrayD<u64>),
    /// `__half`
    F16(ArrayD<f16>),
    /// `float`
    F32(ArrayD<f32>),
    /// `double`
    F64(ArrayD<f64>),
}

macro_rules! each_array {
    ($self:expr, $a:ident => $body:expr) => {
        match $self {
            Array::U8($a) => $body,
            Array::I8($a) => $body,
            Array::I32($a) => $body,
            Array::U32($a) => $body,
            Array::I64($a) => $body,
            Array::U64($a) => $body,
            Array::F16($a) => $body,
            Array::F32($a) => $body,
            Array::F64($a) => $body,
        }
    };
}

impl Array {
    /// Its element type.
    pub const fn dtype(&self) -> DType {
        match self {
            Self::U8(_) => DType::U8,
            Self::I8(_) => DType::I8,
            Self::I32(_) => DType::I32,
            Self::U32(_) => DType::U32,
            Self::I64(_) => DType::I64,
            Self::U64(_) => DType::U64,
            Self::F16(_) => DType::F16,
            Self::F32(_) => DType::F32,
            Self::F64(_) => DType::F64,
        }
    }

    /// Its shape, outermost dimension first.
    pub fn shape(&self) -> &[usize] {
        each_array!(self, a => a.shape())
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        each_array!(self, a => a.len())
    }

    /// True when it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Element `i` in row-major order as f64 (64-bit integers may round); NaN when out of range.
    pub fn get_f64(&self, i: usize) -> f64 {
        macro_rules! primitive {
            ($a:expr) => {
                $a.as_slice().and_then(|s| s.get(i)).map_or(f64::NAN, |v| *v as f64)
            };
        }
        match self {
            Self::U8(a) => primitive!(a),
            Self::I8(a) => primitive!(a),
            Self::I32(a) => primitive!(a),
            Self::U32(a) => primitive!(a),
            Self::I64(a) => primitive!(a),
            Self::U64(a) => primitive!(a),
            Self::F16(a) => a.as_slice().and_then(|s| s.get(i)).map_or(f64::NAN, |v| v.to_f64()),
            Self::F32(a) => primitive!(a),
            Self::F64(a) => primitive!(a),
        }
    }

    /// Little-endian bytes in row-major order.
    pub fn to_bytes(&self) -> Vec<u8> {
        /// Of elements of one size, the compiler makes a copy of memory out of this loop.
        macro_rules! bytes {
            ($a:expr, $t:ty) => {{
                let ordered = $a.as_standard_layout();
                let elements = ordered.as_slice().unwrap_or_default();
                let mut bytes = vec![0; size_of_val(elements)];
                let (words, _) = bytes.as_chunks_mut::<{ size_of::<$t>() }>();
                for (word, element) in words.iter_mut().zip(elements) {
                    *word = element.to_le_bytes();
                }
                bytes
            }};
        }
        match self {
            Self::U8(a) => bytes!(a, u8),
            Self::I8(a) => bytes!(a, i8),
            Self::I32(a) => bytes!(a, i32),
            Self::U32(a) => bytes!(a, u32),
            Self::I64(a) => bytes!(a, i64),
            Self::U64(a) => bytes!(a, u64),
            Self::F16(a) => bytes!(a, f16),
            Self::F32(a) => bytes!(a, f32),
            Self::F64(a) => bytes!(a, f64),
        }
    }

    /// Reads an array of `shape` from little-endian bytes; `None` when the length does not fit.
    pub fn from_bytes(dtype: DType, shape: &[usize], bytes: &[u8]) -> Option<Self> {
        macro_rules! read {
            ($t:ty, $variant:ident) => {{
                let (words, rest) = bytes.as_chunks::<{ size_of::<$t>() }>();
                if !rest.is_empty() {
                    return None;
                }
                let data = words.iter().map(|w| <$t>::from_le_bytes(*w)).collect();
                ArrayD::from_shape_vec(shape.to_vec(), data).ok().map(Array::$variant)
            }};
        }
        match dtype {
            DType::U8 => read!(u8, U8),
            DType::I8 => read!(i8, I8),
            DType::I32 => read!(i32, I32),
            DType::U32 => read!(u32, U32),
            DType::I64 => read!(i64, I64),
            DType::U64 => read!(u64, U64),
            DType::F16 => read!(f16, F16),
            DType::F32 => read!(f32, F32),
            DType::F64 => read!(f64, F64),
        }
    }
}

macro_rules! from_ndarray {
    ($($t:ty => $variant:ident),*) => { $(
        impl<D: ndarray::Dimension> From<ndarray::Array<$t, D>> for Array {
            fn from(a: ndarray::Array<$t, D>) -> Self {
                Self::$variant(a.into_dyn().as_standard_layout().into_owned())
            }
        }
    )* };
}
from_ndarray!(
    u8 => U8, i8 => I8, i32 => I32, u32 => U32, i64 => I64, u64 => U64,
    f16 => F16, f32 => F32, f64 => F64
);

/// One argument of a launch, in the order of the kernel's parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// An array that the kernel reads (and, for an inout parameter, writes).
    Array(Array),
    /// An array for the kernel to fill; the backend fills it with poison before the launch.
    Out {
        /// Element type.
        dtype: DType,
        /// Shape, outermost first.
        shape: Vec<usize>,
    },
    /// A scalar.
    Scalar(Scalar),
}

impl Value {
    /// Number of elements of an array; 0 for a scalar.
    pub fn array_elements(&self) -> usize {
        match self {
            Self::Array(array) => array.len(),
            Self::Out { shape, .. } => shape.iter().product(),
            Self::Scalar(_) => 0,
        }
    }

    /// Size of an array in bytes; 0 for a scalar.
    pub fn array_bytes(&self) -> usize {
        match self {
            Self::Array(array) => array.len() * array.dtype().bytes(),
            Self::Out { dtype, .. } => self.array_elements() * dtype.bytes(),
            Self::Scalar(_) => 0,
        }
    }
}
