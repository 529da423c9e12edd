//! The line of a report that names the case.

use super::words::{count, dims, size, volume};
use crate::attempt::PreparedCase;
use crate::spec::{Param, Role, Spec};
use crate::value::{DType, Scalar, Value};

/// The whole numbers among a case's arguments that are drawn, and no sizes of the case.
fn drawn(spec: &Spec, case: usize, seed: u64) -> Vec<(&'static str, i32)> {
    let Some(described) = spec.cases.get(case) else { return vec![] };
    let is_size = |param: &Param| described.sizes.iter().any(|(name, _)| *name == param.name);
    let is_drawn =
        |param: &&Param| param.role == Role::Scalar && param.dtype == DType::I32 && !is_size(param);
    if !spec.params.iter().any(|param| is_drawn(&param)) {
        return vec![];
    }
    let prepared = PreparedCase::new(spec, (case, described), seed);
    let number = |(param, input): (&Param, &Value)| match input {
        Value::Scalar(Scalar::I32(value)) if is_drawn(&param) => Some((param.name, *value)),
        _ => None,
    };
    spec.params.iter().zip(&prepared.inputs).filter_map(number).collect()
}

/// ``case `five blocks` (n = 1280, grid 5, block 256)``. The macros of the case are listed first.
/// Numbers that the seed has drawn stand in the place of those that they are drawn between.
pub(super) fn case_line(spec: &Spec, index: usize, seed: u64) -> String {
    let Some(case) = spec.cases.get(index) else { return String::new() };
    let drawn = drawn(spec, index, seed);
    let shown = |name: &str| drawn.is_empty() || spec.params.iter().any(|p| p.name == name);
    let defines = case.defines.iter().map(|(name, value)| format!("{name} = {value}"));
    let sizes = case.sizes.iter().filter(|(name, _)| shown(name));
    let sizes = sizes.map(|(name, value)| format!("{name} = {}", size(*value)));
    let numbers = drawn.iter().map(|(name, value)| match usize::try_from(*value) {
        Ok(value) => format!("{name} = {}", size(value)),
        Err(_) => format!("{name} = {value}"),
    });
    let mut facts: Vec<String> = defines.chain(sizes).chain(numbers).collect();
    // a program chooses its own
    if volume(case.grid) > 0 {
        facts.push(format!("grid {}", dims(case.grid)));
        facts.push(format!("block {}", dims(case.block)));
    }
    if case.shared > 0 {
        facts.push(format!("{} B shared", count(case.shared.into())));
    }
    format!("case `{}` ({})", case.name, facts.join(", "))
}
