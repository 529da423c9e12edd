//! What the checker has to know about compiled code, read in the process of the compiler: a
//! learner's text decides what compiled code contains, so no other process of the checker reads it.

use cudart_sim::occupancy::MAX_REGISTERS;
use ptxsim::ParamType;
use serde::{Deserialize, Serialize};

use super::{Message, Module, Outcome, Severity, resources};
use crate::backend::{Fault, sim};

/// The most kernels of a file that are described.
pub(super) const MAX_KERNELS: usize = 256;
/// The most parameters that are described: as many as fit into the 32 764 bytes of a launch (CUDA
/// C++ Programming Guide, "Function Parameters").
const MAX_PARAMETERS: usize = 32_764;
/// The most characters of a name.
const MAX_NAME_CHARS: usize = 400;

/// A kernel of a compiled file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// Its name in the PTX, which is mangled unless it is `extern "C"`.
    pub name: String,
    /// Its parameters in order.
    pub params: Vec<Shape>,
    /// The most registers of a thread that it plausibly needs.
    pub registers_at_most: u32,
}

/// The type of a parameter, as far as PTX describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// `.u32`, `.s64`: an integer of this many bytes, or a pointer.
    Integer(u32),
    /// `.f32`, `.f64`.
    Float(u32),
    /// `.b32`, `.b64`: anything of that size.
    Bits(u32),
    /// `.b8 name[12]`: a structure of this many bytes.
    Structure(u32),
}

impl From<&ptxsim::Param> for Shape {
    fn from(param: &ptxsim::Param) -> Self {
        use ParamType as T;
        match param.ty {
            T::U8 | T::U16 | T::U32 | T::U64 | T::S8 | T::S16 | T::S32 | T::S64 => {
                Self::Integer(param.bytes)
            }
            T::F16 | T::F32 | T::F64 => Self::Float(param.bytes),
            T::B8 | T::B16 | T::B32 | T::B64 => Self::Bits(param.bytes),
            T::Bytes => Self::Structure(param.bytes),
        }
    }
}

/// What has become of a file that the compiler accepts. It copies inline assembly into the PTX
/// without checking it, so errors there are errors of the learner's text.
pub(super) fn compiled(ptx: String, warnings: Vec<Message>) -> Outcome {
    let (kernels, unusable) = match ptxsim::Module::parse(&ptx) {
        Ok(module) => (kernels(&module, &ptx), None),
        Err(ptxsim::Error::Parse { message, source_line: Some(at), .. }) => {
            return Outcome::Rejected(vec![Message {
                file: None,
                severity: Severity::Error,
                line: at.line,
                column: at.column,
                length: 1,
                text: format!("inline assembly: {}", clipped(&message)),
            }]);
        }
        Err(error) => (vec![], Some(Box::new(unusable(error)))),
    };
    Outcome::Compiled(Module { ptx, warnings, kernels, unusable })
}

fn unusable(error: ptxsim::Error) -> Fault {
    sim::fault(error).unwrap_or_else(|error| Fault::Unsupported {
        feature: clipped(&error.to_string()),
        source: None,
    })
}

fn kernels(module: &ptxsim::Module, ptx: &str) -> Vec<Kernel> {
    let bounds = resources::bounds(ptx);
    let kernel = |entry: &ptxsim::Entry| Kernel {
        name: clipped(&entry.name),
        params: entry.params.iter().take(MAX_PARAMETERS).map(Shape::from).collect(),
        registers_at_most: bounds.get(&entry.name).copied().unwrap_or(MAX_REGISTERS),
    };
    module.entries().iter().take(MAX_KERNELS).map(kernel).collect()
}

/// The first characters of a text.
pub(crate) fn clipped(text: &str) -> String {
    text.chars().take(MAX_NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(params: &str) -> Vec<Shape> {
        let text = format!(
            ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry scale({params})\n{{\n\tret;\n}}\n"
        );
        match compiled(text, vec![]) {
            Outcome::Compiled(module) => module.kernels[0].params.clone(),
            other => panic!("{other:?}"),
        }
    }

    /// Parameters in both spellings of NVIDIA's code generators, and a structure by value.
    #[test]
    fn parameters_are_read_from_ptx() {
        use Shape::{Bits, Float, Integer, Structure};
        let old = ".param .u64 a, .param .u64 b, .param .u32 c, .param .f32 d";
        let new = ".param .u64 .ptr .align 1 a, .param .u64 .ptr .align 1 b, .param .b32 c, .param .b32 d";
        assert_eq!(shapes(old), [Integer(8), Integer(8), Integer(4), Float(4)]);
        assert_eq!(shapes(new), [Integer(8), Integer(8), Bits(4), Bits(4)]);
        assert_eq!(shapes(".param .align 4 .b8 c[12]"), [Structure(12)]);
        assert_eq!(shapes(""), []);
    }

    /// PTX that the simulator cannot read is the learner's, not a failure of the checker.
    #[test]
    fn text_that_is_not_ptx_is_unusable() {
        let Outcome::Compiled(module) = compiled("nonsense".into(), vec![]) else { panic!() };
        let why = module.unusable.as_deref();
        assert!(matches!(why, Some(Fault::Unsupported { .. })), "{why:?}");
    }

    /// A long name neither fills the answer nor the record of a grade.
    #[test]
    fn names_are_short() {
        let name = "n".repeat(1 << 20);
        let text = format!(
            ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry {name}()\n{{\n\tret;\n}}\n"
        );
        let Outcome::Compiled(module) = compiled(text, vec![]) else { panic!() };
        assert_eq!(module.kernels[0].name.len(), MAX_NAME_CHARS);
    }

    /// A macro can make a million kernels out of a few lines, and none of them fills the answer.
    #[test]
    fn kernels_are_few() {
        let mut text = ".version 9.0\n.target sm_75\n.address_size 64\n".to_owned();
        (0..MAX_KERNELS + 44)
            .for_each(|i| text += &format!(".visible .entry k{i}()\n{{\n\tret;\n}}\n"));
        let Outcome::Compiled(module) = compiled(text, vec![]) else { panic!() };
        assert_eq!(module.kernels.len(), MAX_KERNELS);
    }
}
