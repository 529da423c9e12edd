//! Compares the results of a launch with the reference, and its counts with the gates. Pure: no
//! text, no files, no clock.

mod compare;
mod gates;
mod pattern;
mod programs;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

use crate::backend::{Fault, Output, Run};
use crate::diagnostic::Slug;
use crate::spec::{Case, Param, Role, Spec, Tolerance, elementwise};
use crate::value::{Array, Value};
use crate::verdict::{Example, Mismatch, Pattern, Verdict};

use compare::Comparison;
pub use gates::gates;

/// Wrong elements that a verdict shows.
const MAX_EXAMPLES: usize = 4;

/// Judges one case: faults first, then every output against the reference, in parameter order.
/// `None` when the case is right.
///
/// A float is right when `|yours - expected| <= tolerance`, where the tolerance comes from
/// `Spec::tolerance` as `Comparison::tolerance` documents. NaN is always wrong. Integers must be
/// equal.
pub fn case(spec: &'static Spec, index: usize, inputs: &[Value], run: &Run) -> Option<Verdict> {
    let allowed = spec.cases.get(index).map_or(&[][..], |case| case.allows);
    let mut faults = run.faults.iter().filter(|fault| !allowed.contains(&fault.slug()));
    if let Some(fault) = faults.next() {
        let mut different: Vec<&Fault> = vec![fault];
        for other in faults {
            if !different.contains(&other) {
                different.push(other);
            }
        }
        let others = different.len() - 1;
        return Some(Verdict::Fault { case: index, fault: fault.clone(), others });
    }
    if let Some(mismatch) = spec.params.iter().find_map(|param| wrong_time(param, run)) {
        return Some(Verdict::WrongValues { case: index, mismatch });
    }
    let broken = |how: String| Some(checker_bug(index, how));
    let Some(case) = spec.cases.get(index) else {
        return broken(format!("case {index} of {} does not exist", spec.id));
    };
    let references = (spec.reference)(case, inputs);
    let compared = |p: &&Param| matches!(p.role, Role::Out | Role::InOut | Role::Answer);
    let outputs = || spec.params.iter().filter(compared);
    if references.len() != outputs().count() {
        return broken(format!("the reference of {} has {} outputs", spec.id, references.len()));
    }
    for (param, reference) in outputs().zip(&references) {
        let Some(output) = run.outputs.iter().find(|output| output.name == param.name) else {
            return broken(format!("the contents of {} did not come back", param.name));
        };
        if output.data.len() != reference.len() * param.dtype.bytes() {
            return broken(format!(
                "{} came back with {} bytes for {} elements",
                param.name,
                output.data.len(),
                reference.len()
            ));
        }
        if let Some(mismatch) = compare_output(spec, case, param, output, reference, run) {
            return Some(Verdict::WrongValues { case: index, mismatch });
        }
    }
    let leaks = run.program.as_ref().map_or(&[][..], |program| &program.leaks);
    let kept = !leaks.is_empty() && !allowed.contains(&Slug::MemoryLeak);
    kept.then(|| Verdict::Fault { case: index, fault: Fault::Leaked(leaks.to_vec()), others: 0 })
}

/// Turns "the output was not written" in the first case into "not started" when the source still
/// has a `TODO`, because then it is not a mistake. Returns every other verdict as it is.
pub fn not_started(verdict: Verdict, case: usize, source: &str) -> Verdict {
    let Verdict::WrongValues { mismatch: Mismatch { output, total, untouched, .. }, .. } = &verdict
    else {
        return verdict;
    };
    let todo = (1..).zip(source.lines()).find(|(_, line)| line.contains("TODO"));
    match todo {
        Some((todo_line, _)) if case == 0 && untouched == total => {
            Verdict::NotStarted { output, elements: *total, todo_line }
        }
        _ => verdict,
    }
}

/// A verdict for results that only a defect of the checker or the course can cause. The case must
/// not pass, and the learner is not to blame.
fn checker_bug(case: usize, how: String) -> Verdict {
    Verdict::Fault { case, fault: Fault::WorkerDied { how }, others: 0 }
}

/// The mismatch of a time that the program had to measure: it was not written, is not a time, or is
/// not the measured one.
fn wrong_time(param: &'static Param, run: &Run) -> Option<Mismatch> {
    let output = run.outputs.iter().find(|o| param.role == Role::Time && o.name == param.name)?;
    let bytes: [u8; 4] = output.data.get(..4)?.try_into().ok()?;
    let yours = f32::from_le_bytes(bytes);
    let untouched = output.poison == Some(bytes);
    let measured = run.program.as_ref().and_then(|program| program.elapsed.last());
    let right = match measured {
        Some(elapsed) => yours == elapsed.milliseconds,
        None if run.program.is_some() => yours.is_finite() && yours > 0.0,
        // On a GPU the measured time is unknown. A gate on the simulator checks that it is the
        // right one.
        None => yours.is_finite(),
    };
    (untouched || !right).then(|| Mismatch {
        output: param.name,
        answer: false,
        shape: vec![1],
        total: 1,
        wrong: 1,
        untouched: untouched.into(),
        nan: (!yours.is_finite()).into(),
        examples: vec![Example {
            index: 0,
            yours: (!untouched).then_some(yours.into()),
            // Without a measurement there is no time.
            expected: measured.map_or(0.0, |elapsed| elapsed.milliseconds.into()),
            tolerance: 0.0,
        }],
        pattern: Pattern::All,
        max_writes: None,
        written: None,
        launch: None,
        copied: None,
    })
}

/// The typical magnitude of an output's values: the mean over some other inputs of the same case.
/// With the given inputs a sum may happen to cancel, while its rounding errors are as large as its
/// intermediate values.
fn typical_magnitude(spec: &Spec, case: &Case, param: &Param) -> f64 {
    /// Enough for a mean that is right within a factor of two, which is precise enough for a
    /// tolerance.
    const DRAWS: u64 = 8;
    let compared =
        spec.params.iter().filter(|p| matches!(p.role, Role::Out | Role::InOut | Role::Answer));
    let Some(at) = compared.into_iter().position(|p| p.name == param.name) else { return 0.0 };
    let draws = (0..DRAWS).filter_map(|seed| {
        let inputs = (spec.inputs)(case, &mut ChaCha8Rng::seed_from_u64(seed));
        (spec.reference)(case, &inputs).get(at).map(compare::mean_magnitude)
    });
    draws.sum::<f64>() / DRAWS as f64
}

fn compare_output(
    spec: &'static Spec,
    case: &Case,
    param: &'static Param,
    output: &Output,
    reference: &Array,
    run: &Run,
) -> Option<Mismatch> {
    let mut compared = Comparison::new(param.dtype, &output.data, reference, spec.tolerance);
    let wrong = |compared: &Comparison| -> Vec<usize> {
        (0..reference.len()).filter(|&i| !compared.is_right(i, i)).collect()
    };
    let mut elements = wrong(&compared);
    if !elements.is_empty() && matches!(spec.tolerance, Tolerance::Roundings(_)) {
        compared = compared.with_magnitude(typical_magnitude(spec, case, param));
        elements = wrong(&compared);
    }
    let wrong = elements;
    if wrong.is_empty() {
        return None;
    }
    let untouched = |i: usize| output.poison.is_some_and(|poison| compared.is_untouched(i, poison));
    let example = |&i: &usize| Example {
        index: i,
        yours: (!untouched(i)).then(|| compared.yours(i).as_f64()),
        expected: compared.expected(i).as_f64(),
        tolerance: compared.tolerance(i),
    };
    let launch = match run.program.as_ref().map(|program| &program.launches[..]) {
        None => spec.kind.has_one_launch().then_some((case.grid, case.block)),
        Some([only]) => Some((only.grid, only.block)),
        Some(_) => None,
    };
    // With several outputs, the copied bytes cannot be assigned to one of them.
    let all = output.data.len() as u64;
    let only = run.program.as_ref().filter(|_| run.outputs.len() == 1);
    let copied = only.map(|program| (program.copies.to_host.bytes, all));
    let used = run
        .observations
        .as_ref()
        .and_then(|seen| seen.arrays.iter().find(|array| array.name == param.name));
    // Atomic operations write, too, but no update is lost.
    let atomics = run.observations.as_ref().is_some_and(|seen| seen.totals.global_atomics > 0);
    let owned = launch.filter(|_| elementwise(spec.params, param.name));
    Some(Mismatch {
        output: param.name,
        answer: param.role == Role::Answer,
        shape: reference.shape().to_vec(),
        total: reference.len(),
        wrong: wrong.len(),
        untouched: wrong.iter().filter(|&&i| untouched(i)).count(),
        nan: wrong.iter().filter(|&&i| !untouched(i) && compared.is_not_finite(i)).count(),
        examples: wrong.iter().take(MAX_EXAMPLES).map(example).collect(),
        pattern: pattern::find(&wrong, &compared, reference.shape(), owned),
        max_writes: used.filter(|_| !atomics).map(|array| array.max_writes),
        written: used.map(|array| array.written),
        launch,
        copied,
    })
}

#[cfg(test)]
mod tests;
