//! Where wrong values come from, as far as they show it: from another element of the result, from
//! an input, or from a number that the code got.

use super::compare::Comparison;
use crate::spec::{Param, Role};
use crate::value::Value;
use crate::verdict::Origin;

/// Arrays with more elements have too many values that are alike by chance.
const MAX_ELEMENTS: usize = 4096;

/// Where the values of these elements come from, if all of them come from one kind of place. They
/// are elements that the learner's code has written, `compared` says.
pub fn find(
    compared: &Comparison<'_>,
    elements: &[usize],
    params: &[Param],
    inputs: &[Value],
) -> Option<Origin> {
    let yours = |i: usize| compared.yours(i).as_f64();
    let values = elements.iter().filter(|&&i| yours(i) != 0.0).count();
    if values < 2 || elements.iter().any(|&i| !yours(i).is_finite()) {
        return None;
    }
    let all_have_values = values == elements.len();
    all_have_values
        .then(|| {
            number(elements, yours, params, inputs).or_else(|| other_elements(compared, elements))
        })
        .flatten()
        .or_else(|| elements_of_an_input(compared, elements, params, inputs))
}

/// The only number with the value that all elements have.
fn number(
    elements: &[usize],
    yours: impl Fn(usize) -> f64,
    params: &[Param],
    inputs: &[Value],
) -> Option<Origin> {
    let equal = |value: &Value| match value {
        Value::Scalar(scalar) => elements.iter().all(|&i| yours(i) == scalar.as_f64()),
        _ => false,
    };
    let all = params.iter().zip(inputs);
    let mut found = all.filter(|(_, value)| equal(value));
    let (param, _) = found.next().filter(|_| found.next().is_none())?;
    Some(Origin::Number(param.name))
}

/// The only other element of the result for which each value is right.
fn other_elements(compared: &Comparison<'_>, elements: &[usize]) -> Option<Origin> {
    if compared.len() > MAX_ELEMENTS || !compared.is_of_floats() {
        return None;
    }
    let places =
        elements.iter().map(|&i| only((0..compared.len()).filter(|&j| compared.is_right(i, j))));
    Some(Origin::Elements(places.collect::<Option<_>>()?))
}

/// The only element of an input that each value is equal to. A 0 is no element: it may be what the
/// code stores where it reads none.
fn elements_of_an_input(
    compared: &Comparison<'_>,
    elements: &[usize],
    params: &[Param],
    inputs: &[Value],
) -> Option<Origin> {
    params.iter().zip(inputs).filter(|(param, _)| param.role == Role::In).find_map(
        |(param, value)| {
            let Value::Array(input) = value else { return None };
            if input.len() > MAX_ELEMENTS || !input.dtype().is_float() {
                return None;
            }
            let place = |&i: &usize| match compared.yours(i).as_f64() {
                0.0 => Some(None),
                value => only((0..input.len()).filter(|&j| input.get_f64(j) == value)).map(Some),
            };
            let places = elements.iter().map(place).collect::<Option<Vec<_>>>()?;
            Some(Origin::Input {
                name: param.name,
                shape: input.shape().to_vec(),
                elements: places,
            })
        },
    )
}

fn only(mut all: impl Iterator<Item = usize>) -> Option<usize> {
    all.next().filter(|_| all.next().is_none())
}
