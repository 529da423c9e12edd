//! The variables of a debug build (`-G`, `--device-debug`): names, types, and where their values
//! are.
//!
//! ```text
//! section  the `.b8` and `.b64` lines of a `.section` as bytes, with the labels that they name
//! dwarf    entries of `.debug_info` (DWARF 2 to 4): variables, scopes, types, locations
//! this     labels and registers resolved to operations and rows of the program
//! ```
//!
//! This is only needed for traces, so debug data that cannot be read is skipped and never an error.

mod dwarf;
mod section;

use std::collections::HashMap;

use crate::decode::{Program, Row};
use crate::trace::Kind;

/// The variables of a module; empty without a debug build.
#[derive(Debug, Default)]
pub(crate) struct Debug {
    pub variables: Vec<Variable>,
}

/// A variable or parameter of a function.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Variable {
    pub name: String,
    pub ty: Type,
    pub function: u32,
    /// Operations `from .. to` where the name means this variable.
    pub scope: (u32, u32),
    pub locations: Vec<LocationRange>,
}

/// A location, and the operations `from .. to` during which the variable is there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LocationRange {
    pub from: u32,
    pub to: u32,
    pub location: Location,
}

/// The type of a variable.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Type {
    /// What the value is, or each element of an array, or what a pointer points at.
    pub kind: Kind,
    /// Bytes of the value or of one element.
    pub bytes: u32,
    /// Dimensions of an array, outermost first.
    pub dims: Vec<u64>,
    /// The value is a pointer.
    pub pointer: bool,
}

/// Where a value is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Location {
    Register(Row),
    /// Bytes into the function's frame of local memory.
    Local(u32),
    /// Bytes into the block's static shared memory.
    Shared(u32),
    /// Bytes into the kernel's arguments.
    Argument(u32),
}

/// The labels and registers that names stand for. Only traces need them.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Position of each label, in a debug build.
    pub labels: HashMap<String, u32>,
    /// Per function: registers, ranges of registers (`%r` stands for `%r0` and its successors), and
    /// stack variables.
    pub functions: Vec<FunctionNames>,
}

/// The names of one function.
#[derive(Debug, Default)]
pub(crate) struct FunctionNames {
    pub name: String,
    pub registers: HashMap<String, Row>,
    /// First register and number of each range.
    pub ranges: HashMap<String, (Row, u32)>,
    pub stack: HashMap<String, u32>,
    pub arguments: HashMap<String, u32>,
}

impl Debug {
    /// Reads the debug sections of PTX text.
    pub fn read(ptx: &str, program: &Program) -> Self {
        let names = &program.names;
        let variables = dwarf::variables(ptx).into_iter().filter_map(|found| {
            let scope = (*names.labels.get(&found.from)?, *names.labels.get(&found.to)?);
            let function = program.functions.iter().rposition(|f| f.start <= scope.0)?;
            let own = names.functions.get(function)?;
            let locations = found.locations.iter().filter_map(|range| {
                let label = |label: &Option<String>, other: u32| match label {
                    None => Some(other),
                    Some(label) => names.labels.get(label).copied(),
                };
                Some(LocationRange {
                    from: label(&range.from, scope.0)?,
                    to: label(&range.to, scope.1)?,
                    location: own.location(&range.location, program)?,
                })
            });
            Some(Variable {
                name: found.name,
                ty: found.ty,
                function: function as u32,
                scope,
                locations: locations.collect(),
            })
        });
        Self { variables: variables.collect() }
    }
}

impl FunctionNames {
    fn location(&self, location: &dwarf::Location, program: &Program) -> Option<Location> {
        match location {
            dwarf::Location::Register(name) => self.register(name).map(Location::Register),
            dwarf::Location::Symbol(name, offset) => {
                if let Some(at) = self.stack.get(name) {
                    return Some(Location::Local(at.checked_add(*offset)?));
                }
                if let Some(at) = self.arguments.get(name) {
                    return Some(Location::Argument(at.checked_add(*offset)?));
                }
                let name = crate::demangle::variable_name(name);
                let shared = program.shared.iter().find(|v| v.name == name)?;
                Some(Location::Shared(shared.offset.checked_add(*offset)?))
            }
        }
    }

    /// The row of a register: `%r12` of `.reg .b32 %r<20>`, or one declared by its own name.
    fn register(&self, name: &str) -> Option<Row> {
        if let Some(row) = self.registers.get(name) {
            return Some(*row);
        }
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let n: u32 = name.get(stem.len()..)?.parse().ok()?;
        let (first, count) = *self.ranges.get(stem)?;
        if n >= count {
            return None;
        }
        Some(match first {
            Row::R32(first) => Row::R32(first.checked_add(n)?),
            Row::R64(first) => Row::R64(first.checked_add(n)?),
            Row::Pred(first) => Row::Pred(first.checked_add(n)?),
        })
    }
}
