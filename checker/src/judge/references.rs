//! The right outputs of a case, computed once for all runs with the same inputs: a program is
//! called several times, and a class has the same public inputs.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::compare::mean_magnitude;
use super::compared;
use crate::scaled;
use crate::spec::{Case, Param, Spec};
use crate::value::{Array, Value};

/// Memory for inputs and references, in bytes. All public inputs of the course and their
/// references take about a third of it.
const MAX_BYTES: usize = 256 << 20;

struct Known {
    exercise: &'static str,
    case: &'static str,
    inputs: Vec<Value>,
    references: Arc<Vec<Array>>,
    bytes: usize,
}

/// Those used last are at the end.
static KNOWN: Mutex<VecDeque<Known>> = Mutex::new(VecDeque::new());

/// What the reference of the exercise gives for these inputs.
pub fn of(spec: &Spec, case: &Case, inputs: &[Value]) -> Arc<Vec<Array>> {
    let is_same = |k: &Known| k.exercise == spec.id && k.case == case.name && k.inputs == inputs;
    {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().position(is_same).and_then(|at| known.remove(at));
        if let Some(found) = found {
            let references = Arc::clone(&found.references);
            known.push_back(found);
            return references;
        }
    }
    let references = Arc::new((spec.reference)(case, inputs));
    let own: usize = inputs.iter().map(Value::array_bytes).sum();
    let right: usize = references.iter().map(|array| array.len() * array.dtype().bytes()).sum();
    let bytes = own + right;
    if bytes <= MAX_BYTES / 4 {
        let inputs = inputs.to_vec();
        let entry = Known {
            exercise: spec.id,
            case: case.name,
            inputs,
            references: references.clone(),
            bytes,
        };
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.push_back(entry);
        let mut total: usize = known.iter().map(|known| known.bytes).sum();
        while total > MAX_BYTES
            && let Some(oldest) = known.pop_front()
        {
            total -= oldest.bytes;
        }
    }
    references
}

/// Typical magnitudes by exercise, case, parameter and the sizes of the inputs.
type Magnitudes = HashMap<([&'static str; 3], Vec<i32>), f64>;

static MAGNITUDES: LazyLock<Mutex<Magnitudes>> = LazyLock::new(Mutex::default);

/// The typical magnitude of an output's values: the mean over some other inputs of the same case,
/// which are as large as these. With the given inputs a sum may happen to cancel, while its
/// rounding errors are as large as its intermediate values.
pub fn typical_magnitude(spec: &Spec, case: &Case, inputs: &[Value], param: &Param) -> f64 {
    /// Enough for a mean that is right within a factor of two, which is precise enough for a
    /// tolerance.
    const DRAWS: u64 = 8;
    let draw = |seed| (spec.inputs)(case, &mut ChaCha8Rng::seed_from_u64(seed));
    let exponents = scaled::exponents(spec, inputs, &draw(0));
    let key = ([spec.id, case.name, param.name], exponents.clone());
    if let Some(known) = MAGNITUDES.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return *known;
    }
    let Some(at) = compared(spec).position(|p| p.name == param.name) else { return 0.0 };
    let draws = (0..DRAWS).filter_map(|seed| {
        let mut inputs = draw(seed);
        scaled::enlarge(spec, &exponents, &mut inputs);
        (spec.reference)(case, &inputs).get(at).map(mean_magnitude)
    });
    let mean = draws.sum::<f64>() / DRAWS as f64;
    MAGNITUDES.lock().unwrap_or_else(PoisonError::into_inner).insert(key, mean);
    mean
}
