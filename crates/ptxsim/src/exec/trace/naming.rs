//! Turns a record in numbers into one with the names of the source.

use super::super::machine::{Location, Machine, ThreadId};
use super::super::warp::Frame;
use super::{Raw, RawTouch, Tracer, low_bytes, stored_by_atomic};
use crate::Action;
use crate::address::{base, split};
use crate::debug::{self, Type};
use crate::trace::{Binding, Kind, MemoryAccess, Step, Value};

impl Tracer {
    pub(super) fn named(&self, m: &Machine<'_>, raw: &Raw) -> Step {
        let program = m.grid.program;
        let function = program.names.functions.get(raw.frame.function as usize);
        let bindings = |all: &[(u32, u64)]| {
            let one = |(variable, bits): &(u32, u64)| {
                let variable = program.debug.variables.get(*variable as usize)?;
                Some(Binding { name: variable.name.clone(), value: value(m, &variable.ty, *bits) })
            };
            all.iter().filter_map(one).collect()
        };
        Step {
            source: program.sources.get(raw.source as usize).cloned().unwrap_or_default(),
            function: function
                .map(|f| crate::demangle::function_name(&f.name).to_owned())
                .unwrap_or_default(),
            depth: raw.depth,
            clock: raw.clock,
            lanes: raw.lanes,
            live: raw.live,
            variables: bindings(&raw.variables),
            set: bindings(&raw.set),
            accesses: raw
                .touched
                .iter()
                .filter_map(|t| self.named_touch(m, &raw.frame, t))
                .collect(),
            branches: raw.branches,
            set_at_branch: bindings(&raw.set_at_branch),
            continued: raw.continued,
            barrier: raw.barrier,
            waiting: raw.waiting.clone(),
            exited: raw.exited.clone(),
            left: raw.left,
        }
    }

    fn named_touch(&self, m: &Machine<'_>, frame: &Frame, raw: &RawTouch) -> Option<MemoryAccess> {
        let op = m.grid.program.memory.get(raw.op as usize)?;
        let action = match (op.atomic, raw.write) {
            (Some(_), _) => Action::Atomic,
            (None, true) => Action::Write,
            (None, false) => Action::Read,
        };
        let thread = ThreadId { block: self.block, linear: self.linear };
        let mut access = m.memory_party(op, raw.location, thread, action, op.bytes());
        let (ty, subscripts) = describe(m, frame, raw.location, &mut access);
        let ty = ty.filter(|ty| ty.bytes == op.width && !ty.pointer);
        let kind = ty.map_or(Kind::Bits, |ty| ty.kind);
        let value = |bits: &u64| Value {
            kind,
            bytes: op.width,
            bits: low_bytes(*bits, op.width),
            points_at: None,
        };
        Some(MemoryAccess {
            access,
            values: raw.values.iter().map(value).collect(),
            old: raw.old.as_ref().map(value),
            new: raw.old.and_then(|old| stored_by_atomic(op, old, raw.operands)).map(|n| value(&n)),
            subscripts,
            fault: raw.fault.clone(),
        })
    }
}

/// The bits of a variable as a value of its type.
fn value(m: &Machine<'_>, ty: &Type, bits: u64) -> Value {
    if ty.pointer {
        return Value { kind: Kind::Pointer, bytes: 8, bits, points_at: pointee(m, bits) };
    }
    Value { kind: ty.kind, bytes: ty.bytes, bits, points_at: None }
}

/// The array and element at an address of global memory.
fn pointee(m: &Machine<'_>, address: u64) -> Option<(String, i64)> {
    let (slot, offset) = split(address);
    let a = m.grid.memory.allocations.get((slot as usize).checked_sub(1)?)?;
    (!a.name.is_empty()).then(|| (a.name.clone(), offset.div_euclid(i64::from(a.element))))
}

/// Names the array of an access as the debug build knows it; returns its element type and the index
/// per dimension.
fn describe(
    m: &Machine<'_>,
    frame: &Frame,
    location: Location,
    access: &mut crate::Access,
) -> (Option<Type>, Vec<i64>) {
    let debug = &m.grid.program.debug;
    let stack = i64::from(frame.local);
    let inside = |start: i64, ty: &Type, offset: i64| {
        let elements = ty.dims.iter().product::<u64>() as i64;
        (start..start + (elements * i64::from(ty.bytes)).max(1)).contains(&offset)
    };
    let variables = debug.variables.iter().filter(|v| v.function == frame.function);
    match location {
        Location::Global(slot, _) => {
            // a parameter that points at this allocation says what its elements are
            let own = |v: &&debug::Variable| {
                let at = v.locations.iter().find_map(|range| match range.location {
                    debug::Location::Argument(at) => Some(at as usize),
                    _ => None,
                });
                let address = at
                    .and_then(|at| m.grid.params.get(at..at + 8))
                    .and_then(|bytes| bytes.first_chunk::<8>());
                v.ty.pointer && address.is_some_and(|a| u64::from_le_bytes(*a) == base(slot + 1))
            };
            let param = debug.variables.iter().find(own);
            (param.map(|v| Type { pointer: false, ..v.ty.clone() }), vec![])
        }
        Location::Shared(offset) => {
            for variable in variables {
                for range in &variable.locations {
                    let debug::Location::Shared(start) = range.location else { continue };
                    let same = access.array.as_deref() == Some(&variable.name);
                    if same || inside(i64::from(start), &variable.ty, offset) {
                        let index = subscripts(&variable.ty, offset - i64::from(start));
                        return (Some(variable.ty.clone()), index);
                    }
                }
            }
            (None, vec![])
        }
        Location::Local(offset) => {
            for variable in variables {
                for range in &variable.locations {
                    let debug::Location::Local(start) = range.location else { continue };
                    let start = stack + i64::from(start);
                    if inside(start, &variable.ty, offset) {
                        access.array = Some(variable.name.clone());
                        // A variable that isn't an array has no elements, wherever it is in memory.
                        let is_array = !variable.ty.dims.is_empty();
                        let bytes = i64::from(variable.ty.bytes.max(1));
                        access.index = is_array.then(|| (offset - start).div_euclid(bytes));
                        access.elements = is_array.then(|| variable.ty.dims.iter().product());
                        return (
                            Some(variable.ty.clone()),
                            subscripts(&variable.ty, offset - start),
                        );
                    }
                }
            }
            (None, vec![])
        }
        Location::Unmapped(_) => (None, vec![]),
    }
}

/// The index per dimension of a byte offset, for arrays of several dimensions; the first may be out
/// of bounds.
fn subscripts(ty: &Type, offset: i64) -> Vec<i64> {
    if ty.dims.len() < 2 {
        return vec![];
    }
    let mut rest = offset.div_euclid(i64::from(ty.bytes.max(1)));
    let mut all = vec![];
    for dim in ty.dims.iter().skip(1).rev() {
        let dim = (*dim as i64).max(1);
        all.push(rest.rem_euclid(dim));
        rest = rest.div_euclid(dim);
    }
    all.push(rest);
    all.reverse();
    all
}
