//! The functions of a program with their parameters, as its debugging data describes them, to
//! compare them with the arguments that a caller wants to pass. This is done before any call,
//! because a C function does not check its arguments. The debugging data is whatever a learner's
//! text makes of it, so the process of the compiler reads it.
//!
//! DWARF 5, sections 3.3 (subroutines) and 5 (types).

use gimli::{AttributeValue, EndianSlice, LittleEndian, UnitOffset, constants as dw};
use object::{Object as _, ObjectSection as _};
use serde::{Deserialize, Serialize};

use super::interface::clipped;
use crate::value::DType;

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;
type Unit<'a> = gimli::Unit<Slice<'a>>;
type Entry<'a> = gimli::DebuggingInformationEntry<Slice<'a>>;

/// How many nested types are followed, for example a `typedef` of a `const` pointer.
const MAX_TYPE_DEPTH: usize = 16;

/// The most functions that are described: of those with C linkage, and of the others.
const MAX_FUNCTIONS: usize = 256;
/// The most parameters of a function that are described.
const MAX_PARAMETERS: usize = 256;
/// The most bytes of a name that are read.
const MAX_NAME_BYTES: usize = 1000;

/// Why the object cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// It is not an object file.
    #[error("the compiled program cannot be read: {0}")]
    Object(#[from] object::Error),
    /// Its debugging data is invalid.
    #[error("the compiled program's debugging data cannot be read: {0}")]
    Dwarf(#[from] gimli::Error),
}

/// A parameter that the function must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// A number.
    Scalar(DType),
    /// A pointer to numbers.
    Pointer {
        /// The type of these numbers.
        element: DType,
        /// Does the function write through the pointer, so that it must not be a pointer to
        /// `const`?
        written: bool,
    },
}

/// How a program's function differs from the function that the caller needs. Types are given as in
/// C++.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The program has no function of this name with C linkage.
    Missing {
        /// The functions that the program has.
        found: Vec<String>,
    },
    /// The number of parameters is another.
    Count {
        /// The types of the parameters.
        found: Vec<String>,
    },
    /// A parameter has another type.
    Type {
        /// The position of the parameter, counted from 0.
        index: usize,
        /// Its type.
        found: String,
    },
}

/// A function of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    name: String,
    /// Is its name mangled for the linker, because it is not `extern "C"`?
    mangled: bool,
    params: Vec<Type>,
}

/// A parameter's type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Type {
    /// As in C++, for example `const float*`.
    text: String,
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Shape {
    Scalar(DType),
    /// A pointer to numbers of this type; `None` if it points to something else.
    Pointer(Option<DType>),
    Other,
}

/// How the function `name` differs from one with these parameters; `None` if it does not.
pub fn compare(name: &str, parameters: &[Parameter], functions: &[Function]) -> Option<Difference> {
    let Some(function) = functions.iter().find(|f| f.name == name && !f.mangled) else {
        let shown = |f: &Function| {
            if f.mangled { format!("{}(...)", f.name) } else { f.name.clone() }
        };
        return Some(Difference::Missing { found: functions.iter().map(shown).collect() });
    };
    if function.params.len() != parameters.len() {
        let found = function.params.iter().map(|ty| ty.text.clone()).collect();
        return Some(Difference::Count { found });
    }
    let mut pairs = parameters.iter().zip(&function.params).enumerate();
    let (index, (_, found)) = pairs.find(|(_, (parameter, ty))| !ty.accepts(**parameter))?;
    Some(Difference::Type { index, found: found.text.clone() })
}

impl Type {
    fn accepts(&self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::Scalar(dtype) => self.shape == Shape::Scalar(dtype),
            Parameter::Pointer { element, written } => {
                let read_only = self.text.starts_with("const ");
                self.shape == Shape::Pointer(Some(element)) && !(written && read_only)
            }
        }
    }
}

/// The functions that the program defines, in the order of the source.
pub(super) fn of_object(object: &[u8]) -> Result<Vec<Function>, Error> {
    let file = object::File::parse(object)?;
    let dwarf = Dwarf::load(|section| {
        let data = file.section_by_name(section.name()).and_then(|s| s.data().ok());
        Ok::<_, gimli::Error>(EndianSlice::new(data.unwrap_or_default(), LittleEndian))
    })?;
    let mut found: Vec<Function> = vec![];
    let (mut mangled, mut unmangled) = (0, 0);
    let mut keep = |function: Function| {
        let count = if function.mangled { &mut mangled } else { &mut unmangled };
        if is_of_source(&function) && *count < MAX_FUNCTIONS {
            *count += 1;
            found.push(function);
        }
    };
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        let mut entries = unit.entries();
        // the function whose parameters are being read, and its depth in the tree
        let mut function: Option<(isize, Function)> = None;
        while let Some(entry) = entries.next_dfs()? {
            let depth = entry.depth();
            if function.as_ref().is_some_and(|(at, _)| depth <= *at) {
                function.take().into_iter().for_each(|(_, function)| keep(function));
            }
            match (entry.tag(), &mut function) {
                (dw::DW_TAG_subprogram, None) if defined(entry) => {
                    let Some(name) = text(&dwarf, &unit, entry, dw::DW_AT_name) else { continue };
                    let mangled = entry.attr_value(dw::DW_AT_linkage_name).is_some();
                    let params = vec![];
                    function = Some((depth, Function { name, mangled, params }));
                }
                (dw::DW_TAG_formal_parameter, Some((at, function)))
                    if depth == *at + 1 && function.params.len() < MAX_PARAMETERS =>
                {
                    function.params.push(type_of(&dwarf, &unit, entry)?);
                }
                _ => {}
            }
        }
        function.into_iter().for_each(|(_, function)| keep(function));
    }
    Ok(found)
}

/// Is this a function of the source, and not one that nvcc has added?
fn is_of_source(function: &Function) -> bool {
    let Function { name, .. } = function;
    !name.starts_with("__") && !name.starts_with("_GLOBAL_") && name != "cudaLaunchKernel"
}

/// Is this the definition of a function that other files can call?
fn defined(entry: &Entry<'_>) -> bool {
    entry.attr_value(dw::DW_AT_external).is_some() && entry.attr_value(dw::DW_AT_low_pc).is_some()
}

fn text<'a>(
    dwarf: &Dwarf<'a>,
    unit: &Unit<'a>,
    entry: &Entry<'a>,
    name: gimli::DwAt,
) -> Option<String> {
    let value = entry.attr_value(name)?;
    let text = dwarf.attr_string(unit, value).ok()?;
    let text = text.slice().get(..MAX_NAME_BYTES).unwrap_or(text.slice());
    Some(clipped(&String::from_utf8_lossy(text)))
}

fn type_of<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>, entry: &Entry<'a>) -> Result<Type, Error> {
    describe(dwarf, unit, target(entry), MAX_TYPE_DEPTH)
}

/// The type that an entry's type attribute refers to; `None` for `void`.
fn target(entry: &Entry<'_>) -> Option<UnitOffset> {
    match entry.attr_value(dw::DW_AT_type)? {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}

fn describe<'a>(
    dwarf: &Dwarf<'a>,
    unit: &Unit<'a>,
    at: Option<UnitOffset>,
    depth: usize,
) -> Result<Type, Error> {
    let other = |text: &str| Ok(Type { text: text.into(), shape: Shape::Other });
    let Some(at) = at else { return other("void") };
    if depth == 0 {
        return other("a type too deep to name");
    }
    let entry = unit.entry(at)?;
    let name = || text(dwarf, unit, &entry, dw::DW_AT_name);
    let inner = || describe(dwarf, unit, target(&entry), depth - 1);
    Ok(match entry.tag() {
        dw::DW_TAG_pointer_type => {
            let to = inner()?;
            let element = match to.shape {
                Shape::Scalar(dtype) => Some(dtype),
                _ => None,
            };
            Type { text: format!("{}*", to.text), shape: Shape::Pointer(element) }
        }
        dw::DW_TAG_const_type => {
            let of = inner()?;
            let text = if of.text.ends_with('*') {
                format!("{} const", of.text)
            } else {
                format!("const {}", of.text)
            };
            Type { text, ..of }
        }
        dw::DW_TAG_volatile_type | dw::DW_TAG_restrict_type => inner()?,
        dw::DW_TAG_typedef => {
            let of = inner()?;
            Type { text: name().unwrap_or(of.text), ..of }
        }
        dw::DW_TAG_base_type => {
            let shape = base(&entry).map_or(Shape::Other, Shape::Scalar);
            let text = match shape {
                Shape::Scalar(dtype) => dtype.cuda_name().to_owned(),
                _ => name().unwrap_or_else(|| "a number".into()),
            };
            Type { text, shape }
        }
        dw::DW_TAG_reference_type => {
            Type { text: format!("{}&", inner()?.text), shape: Shape::Other }
        }
        _ => Type { text: name().unwrap_or_else(|| "a structure".into()), shape: Shape::Other },
    })
}

fn base(entry: &Entry<'_>) -> Option<DType> {
    let bytes = entry.attr_value(dw::DW_AT_byte_size)?.udata_value()?;
    let AttributeValue::Encoding(encoding) = entry.attr_value(dw::DW_AT_encoding)? else {
        return None;
    };
    Some(match (encoding, bytes) {
        (dw::DW_ATE_float, 4) => DType::F32,
        (dw::DW_ATE_float, 8) => DType::F64,
        (dw::DW_ATE_signed, 4) => DType::I32,
        (dw::DW_ATE_signed, 8) => DType::I64,
        (dw::DW_ATE_unsigned, 4) => DType::U32,
        (dw::DW_ATE_unsigned, 8) => DType::U64,
        (dw::DW_ATE_unsigned_char, 1) => DType::U8,
        (dw::DW_ATE_signed_char, 1) => DType::I8,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;
    use std::process::Command;

    use super::*;

    /// The functions of a program in C++.
    fn compiled(text: &str) -> Vec<Function> {
        let folder = tempfile::tempdir().unwrap();
        let (source, object) = (folder.path().join("many.cpp"), folder.path().join("many.so"));
        fs::write(&source, text).unwrap();
        let mut compiler = Command::new("g++");
        compiler.args(["-g", "-shared", "-fPIC", "-o"]).arg(&object).arg(&source);
        assert!(compiler.status().unwrap().success());
        of_object(&fs::read(&object).unwrap()).unwrap()
    }

    /// A macro can make a million functions out of a few lines, and they don't fill the answer.
    #[test]
    fn functions_are_few() {
        let mut text = String::new();
        for i in 0..MAX_FUNCTIONS + 44 {
            writeln!(text, "extern \"C\" void c{i}() {{}}\nvoid cpp{i}() {{}}").unwrap();
        }
        let functions = compiled(&text);
        for mangled in [false, true] {
            let count = functions.iter().filter(|function| function.mangled == mangled).count();
            assert_eq!(count, MAX_FUNCTIONS);
        }
    }

    /// Neither do parameters and names, and the exercise's function is found beside them.
    #[test]
    fn parameters_are_few_and_names_are_short() {
        let parameters = vec!["int"; MAX_PARAMETERS + 44].join(", ");
        let long = "n".repeat(100_000);
        let functions = compiled(&format!(
            "extern \"C\" {{\nvoid many({parameters}) {{}}\nvoid {long}() {{}}\n\
             void wanted(float* out, int n) {{}}\n}}\n"
        ));
        let most = functions.iter().map(|function| function.params.len()).max();
        assert_eq!(most, Some(MAX_PARAMETERS));
        assert!(functions.iter().all(|function| function.name.len() <= MAX_NAME_BYTES));
        let wanted = [
            Parameter::Pointer { element: DType::F32, written: true },
            Parameter::Scalar(DType::I32),
        ];
        assert_eq!(compare("wanted", &wanted, &functions), None);
    }
}
