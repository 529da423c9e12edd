//! Values as the learner would write them, with the learner's names.

use ptxsim::trace::{Binding, Kind, Step, Value};

use super::super::super::words::{DIGITS, digits};
use super::StepWriter;
use crate::report::trace::Named;

impl StepWriter<'_, '_> {
    /// The value of a function's argument at its first line; `None` for a pointer to the memory
    /// that has its name, as every pointer argument is at first.
    pub(super) fn argument(&self, step: &Step, name: &str) -> Option<String> {
        let value = step.value(name)?;
        let binding = Binding { name: name.to_owned(), value: self.renamed(value) };
        let shows = value.kind != Kind::Pointer || value.points_at.is_some();
        (shows && !is_itself(&binding)).then(|| shown(&binding.value))
    }

    /// A value as the learner would write it, with the learner's names.
    pub fn shown(&self, value: &Value) -> String {
        shown(&self.renamed(value))
    }

    /// A value that points at an array by the learner's name. Memory that a program allocated
    /// consists of bytes until a thread accesses its elements.
    fn renamed(&self, value: &Value) -> Value {
        let points_at = value.points_at.as_ref().map(|(array, index)| {
            if let Some(found) = self.scene.pointed_at(array, *index) {
                return found;
            }
            let name = self.scene.name(array);
            let bytes = if self.kernel.is_some() { self.element_bytes(array) } else { 1 };
            (name.to_owned(), index / bytes.max(1))
        });
        Value { points_at, ..value.clone() }
    }

    /// Bytes of the elements that the thread accesses in an array.
    fn element_bytes(&self, array: &str) -> i64 {
        let steps = self.followed.trace.first.iter().chain(&self.followed.trace.last);
        let mut accesses = steps.flat_map(|step| &step.accesses);
        let access = accesses.find(|touch| touch.access.array.as_deref() == Some(array));
        let value = access.and_then(|touch| touch.values.first());
        value.map_or(1, |value| i64::from(value.bytes.max(1)))
    }

    /// The value of a built-in variable for this thread.
    pub(super) fn built_in(&self, name: &str) -> Option<String> {
        let (what, axis) = name.split_once('.').unwrap_or((name, ""));
        let dims = match what {
            "threadIdx" => self.followed.thread.thread,
            "blockIdx" => self.followed.thread.block,
            "blockDim" => self.scene.block,
            "gridDim" => self.scene.grid,
            "warpSize" if axis.is_empty() => return Some("32".into()),
            _ => return None,
        };
        let axis = match axis {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => return None,
        };
        Some(dims[axis].to_string())
    }
}

/// A parameter that points at the array of its own name, as every pointer parameter does at first.
pub(super) fn is_itself(binding: &Binding) -> bool {
    binding
        .value
        .points_at
        .as_ref()
        .is_some_and(|(array, index)| *index == 0 && *array == binding.name)
}

pub(super) fn list(all: &[Named]) -> String {
    let one = |named: &Named| match named.value.split_once(" -> ") {
        Some((_, to)) => format!("{} points at {to}", named.name),
        None => format!("{} = {}", named.name, named.value),
    };
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A value as the learner would write it.
pub(super) fn shown(value: &Value) -> String {
    if let Some((array, index)) = &value.points_at {
        return format!("&{array}[{index}]");
    }
    match value.kind {
        Kind::Bool => (value.bits != 0).to_string(),
        Kind::Float => match value.float() {
            // All digits that distinguish two floats would be more than a reader wants.
            Some(float) => digits(float, DIGITS),
            None => format!("{:#x}", value.bits),
        },
        Kind::Pointer if value.bits == 0 => "null".into(),
        Kind::Pointer | Kind::Bits => format!("{:#x}", value.bits),
        Kind::Signed | Kind::Unsigned => {
            value.integer().map_or_else(String::new, |n| n.to_string())
        }
    }
}
