//! Describes what a step reads from memory and writes to it.

use ptxsim::trace::{Kind, MemoryAccess, Step, Value};
use ptxsim::{Action, FindingKind};

use super::super::super::words::many;
use super::StepWriter;
use super::values::shown;
use crate::diagnostic::Slug;
use crate::report::trace::{Accessed, Fact};

impl StepWriter<'_, '_> {
    /// What a step does in memory. Equal reads are one fact.
    pub(super) fn touched(&self, step: &Step, accesses: &[Accessed]) -> Vec<Fact> {
        let mut repeated: Vec<(Fact, u32)> = vec![];
        for (touch, access) in step.accesses.iter().zip(accesses) {
            if self.is_compilers_own(touch) {
                continue;
            }
            let fact = self.fact(touch, access);
            match repeated.iter_mut().find(|(before, _)| *before == fact && access.action == "read")
            {
                Some((_, times)) => *times += 1,
                None => repeated.push((fact, 1)),
            }
        }
        let with_count = |(fact, times): (Fact, u32)| match times {
            1 => fact,
            n => Fact { text: format!("{}, {n} times", fact.text), ..fact },
        };
        repeated.into_iter().map(with_count).collect()
    }

    /// Whether an access is to a copy that the compiler made, for example of an argument: memory of
    /// the thread that belongs to no variable of a debug build.
    fn is_compilers_own(&self, touch: &MemoryAccess) -> bool {
        let access = &touch.access;
        self.followed.trace.variables
            && access.space == Some(ptxsim::Space::Local)
            && access.array.is_none()
            && touch.fault.is_none()
    }

    pub fn access(&self, touch: &MemoryAccess) -> Accessed {
        let access = &touch.access;
        let located = self.scene.located(access);
        let name = match &located {
            Some(found) => Some(found.name.clone()),
            None => access.array.as_deref().map(|array| self.scene.name(array).to_owned()),
        };
        let index = located.as_ref().map_or(access.index, |found| found.size.map(|_| found.index));
        let element = match (&name, access.index) {
            _ if located.is_some() => self.scene.elements_as_code(access),
            (Some(name), _) if touch.subscripts.len() > 1 => {
                let all: Vec<String> = touch.subscripts.iter().map(|i| format!("[{i}]")).collect();
                format!("{name}{}", all.concat())
            }
            (Some(name), Some(index)) if touch.values.len() > 1 => {
                format!("{name}[{index}] and the next {}", touch.values.len() - 1)
            }
            (Some(name), Some(index)) if access.space == Some(ptxsim::Space::Shared) => {
                match self.scene.source.shared(name).map(|declared| declared.element(index)) {
                    Some(element) => format!("{name}{element}"),
                    None => format!("{name}[{index}]"),
                }
            }
            (Some(name), Some(index)) => match self.row_and_column(touch) {
                Some((row, column)) => format!("{name}[{index}] (row {row}, column {column})"),
                None => format!("{name}[{index}]"),
            },
            (Some(name), None) => name.clone(),
            (None, _) => match access.space {
                Some(ptxsim::Space::Local) => "a local variable".into(),
                Some(ptxsim::Space::Shared) => {
                    format!("shared memory, element {}", access.index.unwrap_or_default())
                }
                _ => format!("address {:#x}", access.address),
            },
        };
        let values: Vec<String> =
            touch.values.iter().map(|value| shown(&self.typed(touch, value))).collect();
        Accessed {
            action: match access.action {
                Action::Write => "write",
                Action::Atomic => "atomic",
                _ => "read",
            }
            .into(),
            element,
            array: name,
            index,
            value: (!values.is_empty()).then(|| values.join(", ")),
            old: touch.old.as_ref().map(|old| shown(&self.typed(touch, old))),
            new: touch.new.as_ref().map(|new| shown(&self.typed(touch, new))),
            fault: touch.fault.as_ref().map(|kind| Slug::of_finding_kind(kind, access.action)),
        }
    }

    /// Where an element of a matrix stands, when the exercise says how wide the matrix is.
    fn row_and_column(&self, touch: &MemoryAccess) -> Option<(i64, i64)> {
        let array = touch.access.array.as_deref().filter(|_| touch.fault.is_none())?;
        let shape = self.scene.param(array)?.shape;
        let names: Vec<&str> = shape.split(['[', ']']).filter(|name| !name.is_empty()).collect();
        let [_, width] = names.as_slice() else { return None };
        let known = self.scene.sizes.iter().find(|(name, _)| name == width).map(|(_, n)| *n as i64);
        let width = known.or_else(|| width.parse().ok()).filter(|n| *n > 0)?;
        let index = touch.access.index?;
        Some((index / width, index % width))
    }

    /// A value with the type that the source or the exercise gives its array, where the debug build
    /// has none.
    fn typed(&self, touch: &MemoryAccess, value: &Value) -> Value {
        if value.kind != Kind::Bits {
            return value.clone();
        }
        let shared = touch.access.space == Some(ptxsim::Space::Shared);
        if let (Some(array), true) = (touch.access.array.as_deref(), shared)
            && let Some(declared) = self.scene.source.shared(array)
            && let Some(kind) = declared.kind
        {
            return Value { kind, ..value.clone() };
        }
        if let Some(kind) = self.scene.located(&touch.access).and_then(|found| found.kind) {
            return Value { kind, ..value.clone() };
        }
        let array = touch.access.array.as_deref();
        if let Some(kind) = array.and_then(|array| self.declared_kind(self.scene.name(array))) {
            return Value { kind, ..value.clone() };
        }
        let param = array.and_then(|array| self.scene.param(array));
        let kind = match param.filter(|param| param.dtype.bytes() == value.bytes as usize) {
            Some(param) if param.dtype.is_float() => Kind::Float,
            Some(_) => Kind::Signed,
            None => Kind::Bits,
        };
        Value { kind, ..value.clone() }
    }

    /// The kind of number that a pointer parameter of a program's kernel points to.
    fn declared_kind(&self, parameter: &str) -> Option<Kind> {
        let kernel = self.kernel.as_deref()?;
        let functions = self.scene.source.functions();
        let function = functions.iter().find(|function| function.name == kernel)?;
        let declared = function.parameters().into_iter().find_map(|declared| {
            let (before, name) = declared.rsplit_once(['*', ' '])?;
            (name.trim() == parameter && declared.contains('*')).then(|| before.to_owned())
        })?;
        let is = |word: &str| {
            declared.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|w| w == word)
        };
        match () {
            () if is("float") || is("double") => Some(Kind::Float),
            () if is("unsigned") || is("uint32_t") || is("uint8_t") || is("uint64_t") => {
                Some(Kind::Unsigned)
            }
            () if is("int") || is("int32_t") || is("short") || is("long") => Some(Kind::Signed),
            () => None,
        }
    }

    fn fact(&self, touch: &MemoryAccess, accessed: &Accessed) -> Fact {
        let Accessed { element, value, old, .. } = accessed;
        let with = value.as_ref().map_or_else(String::new, |value| format!(" = {value}"));
        if let Some(fault) = &touch.fault {
            let verb = match touch.access.action {
                Action::Write => "writes",
                Action::Atomic => "atomically updates",
                _ => "reads",
            };
            let units = self.scene.access_in_terms_of_source(&touch.access);
            let why = match (fault, &accessed.array, units.elements) {
                (FindingKind::OutOfBounds, Some(array), Some(elements)) => match elements {
                    0 => format!("outside: `{array}` has no elements"),
                    n => {
                        let end = |index: u64| {
                            let index = i64::try_from(index).unwrap_or(i64::MAX);
                            self.scene.element_at(&units, array, index)
                        };
                        let many = many(n, "element", "elements");
                        format!("outside: `{array}` has {many}, {} to {}", end(0), end(n - 1))
                    }
                },
                (FindingKind::OutOfBounds, Some(array), None) if units.array_bytes.is_some() => {
                    let bytes = many(units.array_bytes.unwrap_or(0), "byte", "bytes");
                    format!("outside: `{array}` has {bytes}")
                }
                (FindingKind::OutOfBounds, ..) => "outside its array".into(),
                (FindingKind::Misaligned, ..) => {
                    format!("not at a multiple of {} bytes", touch.access.bytes)
                }
                _ => "which belongs to no array".into(),
            };
            return Fact { text: format!("{verb} {element}: {why}"), wrong: true };
        }
        let text = match touch.access.action {
            Action::Write => format!("writes {element}{with}"),
            Action::Atomic => {
                let old = old.as_ref().map_or_else(String::new, |old| format!(", which was {old}"));
                let value = value.as_deref().unwrap_or("a value");
                format!("atomically updates {element} with {value}{old}")
            }
            _ => format!("reads {element}{with}"),
        };
        Fact { text, wrong: false }
    }
}
