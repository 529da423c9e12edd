//! The elements of the outputs of a run, each beside its reference, for pictures.

use crate::backend::Run;
use crate::spec::{Role, Spec, Tolerance};
use crate::value::{Array, DType, Value};

use super::compare::Comparison;
use super::{compared, references};

/// The elements of one output.
#[derive(Debug, Clone, PartialEq)]
pub struct Elements {
    /// The parameter's name.
    pub name: &'static str,
    /// Its number among the parameters.
    pub parameter: usize,
    /// The type of its elements.
    pub dtype: DType,
    /// The lengths of its dimensions.
    pub shape: Vec<usize>,
    /// The learner's elements in row-major order; `None` for one that nothing has written. Integers
    /// of 64 bits may be rounded.
    pub yours: Vec<Option<f64>>,
    /// The right ones; `None` for the learner's own answers, of which no report shows the right
    /// ones.
    pub expected: Option<Vec<f64>>,
    /// Indices of the wrong elements, in ascending order.
    pub wrong: Vec<usize>,
}

/// The elements of all outputs of a case that have come back whole, in the order of the parameters.
pub fn elements(spec: &'static Spec, case: usize, inputs: &[Value], run: &Run) -> Vec<Elements> {
    let Some(tried) = spec.cases.get(case) else { return vec![] };
    let references = references::of(spec, tried, inputs);
    let outputs = compared(spec).zip(&*references).filter_map(|(param, reference)| {
        let output = run.outputs.iter().find(|output| output.name == param.name)?;
        if output.data.len() != reference.len() * param.dtype.bytes() {
            return None;
        }
        let mut compared = Comparison::new(param.dtype, &output.data, reference, spec.tolerance);
        if matches!(spec.tolerance, Tolerance::Roundings(_)) {
            let usual = references::typical_magnitude(spec, tried, inputs, param);
            compared = compared.with_magnitude(usual);
        }
        let untouched = |i: usize| output.poison.is_some_and(|p| compared.is_untouched(i, p));
        let yours = |i: usize| (!untouched(i)).then(|| compared.yours(i).as_f64());
        let expected = || (0..reference.len()).map(|i| compared.expected(i).as_f64()).collect();
        Some(Elements {
            name: param.name,
            parameter: spec.params.iter().position(|other| other.name == param.name)?,
            dtype: param.dtype,
            shape: shape(reference),
            yours: (0..reference.len()).map(yours).collect(),
            expected: (param.role != Role::Answer).then(expected),
            wrong: compared.wrong(),
        })
    });
    outputs.collect()
}

fn shape(array: &Array) -> Vec<usize> {
    array.shape().to_vec()
}
