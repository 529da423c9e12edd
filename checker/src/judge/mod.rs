//! Compares the results of a launch with the reference, and its counts with the gates. Pure: no
//! text, no files, no clock.

mod compare;
mod elements;
mod gates;
mod host;
mod origin;
mod pattern;
mod programs;
mod references;
mod resources;

use cudart_sim::report::{HostFinding, HostWrite, Report};
use cudart_sim::runtime::LaunchRecord;
use ptxsim::{ArrayUse, Observations};

use crate::backend::{Fault, Output, Run};
use crate::diagnostic::Slug;
use crate::spec::{Case, Param, Role, Spec, Tolerance, elementwise};
use crate::value::{Array, Value};
use crate::verdict::{CopiedBack, Example, Mismatch, Pattern, Results, Verdict};

use compare::Comparison;
pub use elements::{Elements, elements};
pub use gates::{gates, is_of_every_program};
pub use host::{arranged, assumed, independent, made, made_data, sent};
pub use programs::{measured_launch, overlap_facts};

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
    let mut faults = run.faults.iter().filter(|fault| !allowed.contains(&Slug::of_fault(fault)));
    if let Some(fault) = faults.next() {
        let mut different: Vec<&Fault> = vec![fault];
        for other in faults {
            if !different.contains(&other) {
                different.push(other);
            }
        }
        let others = different.len() - 1;
        let results = results(spec, index, inputs, run);
        let fault = Box::new(fault.clone());
        return Some(Verdict::Fault { case: index, fault, others, results });
    }
    if let Some(mismatch) = spec.params.iter().find_map(|param| wrong_time(param, run)) {
        return Some(Verdict::WrongValues { case: index, mismatch: Box::new(mismatch) });
    }
    let broken = |how: String| Some(checker_bug(index, how));
    let Some(case) = spec.cases.get(index) else {
        return broken(format!("case {index} of {} does not exist", spec.id));
    };
    let references = references::of(spec, case, inputs);
    if references.len() != compared(spec).count() {
        return broken(format!("the reference of {} has {} outputs", spec.id, references.len()));
    }
    for (param, reference) in compared(spec).zip(&*references) {
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
        if let Some(mut mismatch) =
            compare_output(spec, (case, inputs), param, output, reference, run)
        {
            let input = spec.params.iter().position(|p| p.name == param.name);
            let input = input.and_then(|at| inputs.get(at));
            mismatch.unchanged = input.is_some_and(|input| has_bytes_of(output, input));
            if let Some(Value::Array(input)) = input {
                let before = input.to_bytes();
                let compared =
                    Comparison::new(param.dtype, &output.data, reference, spec.tolerance);
                let bytes = |data: &[u8], i: usize| {
                    data.chunks_exact(param.dtype.bytes()).nth(i).map(<[u8]>::to_vec)
                };
                let kept = |i: &usize| {
                    !compared.is_right(*i, *i) && bytes(&output.data, *i) == bytes(&before, *i)
                };
                mismatch.kept = (0..reference.len()).filter(kept).count();
            }
            let others = spec.params.iter().zip(inputs).filter(|(p, _)| p.role == Role::In);
            let mut equal = others.filter(|(_, input)| has_bytes_of(output, input));
            mismatch.answers_right =
                answers_right(spec, &references, run).filter(|_| !mismatch.answer);
            mismatch.other_unchanged = unchanged(spec, param, inputs, &references, run);
            let written = mismatch.examples.iter().all(|example| example.yours.is_some());
            if written && !mismatch.answer {
                let compared =
                    Comparison::new(param.dtype, &output.data, reference, spec.tolerance);
                let shown: Vec<usize> = mismatch.examples.iter().map(|e| e.index).collect();
                mismatch.origin = origin::find(&compared, &shown, spec.params, inputs);
            }
            mismatch.same_as = equal.next().map(|(p, _)| p.name).filter(|_| mismatch.total > 1);
            return Some(Verdict::WrongValues { case: index, mismatch: Box::new(mismatch) });
        }
    }
    if let Some(share) = host::wrote(spec, inputs, run) {
        return Some(Verdict::ComputedOnHost { case: index, share });
    }
    let leaks = run.program.as_ref().map_or(&[][..], |program| &program.leaks);
    let kept = !leaks.is_empty() && !allowed.contains(&Slug::MemoryLeak);
    let fault = Box::new(Fault::Leaked(leaks.to_vec()));
    kept.then_some(Verdict::Fault { case: index, fault, others: 0, results: Results::default() })
}

/// The first array after `first` that came with values, should have got others, and has not.
fn unchanged(
    spec: &'static Spec,
    first: &Param,
    inputs: &[Value],
    references: &[Array],
    run: &Run,
) -> Option<&'static str> {
    let later = compared(spec).zip(references).skip_while(|(param, _)| param.name != first.name);
    let mut later = later.skip(1).filter(|(param, _)| param.role == Role::InOut);
    let (param, _) = later.find(|(param, reference)| {
        let output = run.outputs.iter().find(|output| output.name == param.name);
        let input = spec.params.iter().position(|p| p.name == param.name);
        let input = input.and_then(|at| inputs.get(at));
        output.zip(input).is_some_and(|(output, input)| {
            let compared = Comparison::new(param.dtype, &output.data, reference, spec.tolerance);
            has_bytes_of(output, input) && !compared.wrong().is_empty()
        })
    })?;
    Some(param.name)
}

/// The parameters that the reference has a result for, in its order.
fn compared(spec: &Spec) -> impl Iterator<Item = &Param> {
    spec.params.iter().filter(|p| p.role.is_compared())
}

/// What a run with a fault has returned.
fn results(spec: &'static Spec, index: usize, inputs: &[Value], run: &Run) -> Results {
    let Some(case) = spec.cases.get(index).filter(|_| !run.outputs.is_empty()) else {
        return Results::NotWrong;
    };
    let references = references::of(spec, case, inputs);
    let mut wrong = compared(spec).zip(&*references).filter_map(|(param, reference)| {
        let mut outputs = run.outputs.iter().filter(|output| output.name == param.name);
        let output = outputs.find(|o| o.data.len() == reference.len() * param.dtype.bytes())?;
        compare_output(spec, (case, inputs), param, output, reference, run)
    });
    match wrong.next() {
        Some(mismatch) if mismatch.untouched == mismatch.total => {
            Results::Unwritten(mismatch.output)
        }
        Some(_) => Results::Wrong,
        None => Results::NotWrong,
    }
}

/// Turns "the output was not written" in the first case into "not started" when the source still
/// has a `TODO`, because then it is not a mistake. Returns every other verdict as it is.
pub fn not_started(verdict: Verdict, case: usize, source: &str) -> Verdict {
    let Verdict::WrongValues { mismatch, .. } = &verdict else { return verdict };
    let Mismatch { output, total, untouched, .. } = &**mismatch;
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
    let fault = Box::new(Fault::WorkerDied { how });
    Verdict::Fault { case, fault, others: 0, results: Results::default() }
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
        // The events were recorded in the other order.
        Some(elapsed) if elapsed.milliseconds < 0.0 => false,
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
        kept: 0,
        fill: None,
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
        most_written: None,
        written: None,
        launch: None,
        launch_at: None,
        copied: None,
        unchanged: false,
        same_as: None,
        origin: None,
        other_unchanged: None,
        uncopied: vec![],
        same_memory: None,
        partial: vec![],
        answers_right: None,
        store_lines: None,
        launches: None,
    })
}

/// Whether the numbers that the learner has recorded in the file are right; `None` if the exercise
/// asks for none.
fn answers_right(spec: &Spec, references: &[Array], run: &Run) -> Option<bool> {
    let params = compared(spec).zip(references);
    let right = params.filter(|(param, _)| param.role == Role::Answer).map(|(param, reference)| {
        let output = run.outputs.iter().find(|output| output.name == param.name)?;
        let compared = Comparison::new(param.dtype, &output.data, reference, Tolerance::Exact);
        let complete = output.data.len() == reference.len() * param.dtype.bytes();
        Some(complete && compared.wrong().is_empty())
    });
    right.collect::<Option<Vec<bool>>>()?.into_iter().reduce(|a, b| a && b)
}

/// Whether an output has exactly the bytes of an array that the code was given.
fn has_bytes_of(output: &Output, input: &Value) -> bool {
    matches!(input, Value::Array(array) if array.to_bytes() == output.data)
}

/// The most often that one element of an output was written; `None` if the simulator did not count
/// it. At [`ptxsim::MAX_COUNTED_WRITES`] there may have been more.
pub fn writes_per_element(spec: &Spec, seen: &Observations) -> Option<u32> {
    let outputs = spec.params.iter().filter(|p| matches!(p.role, Role::Out | Role::InOut));
    outputs.filter_map(|param| Some(counted_writes(param, seen)?.max_writes)).max()
}

/// The output with elements that were written more often than that, if it is only one.
fn rewritten(spec: &'static Spec, limit: f64, seen: &Observations) -> Option<&'static str> {
    let outputs = spec.params.iter().filter(|p| matches!(p.role, Role::Out | Role::InOut));
    let mut above = outputs.filter(|param| {
        counted_writes(param, seen).is_some_and(|writes| f64::from(writes.max_writes) > limit)
    });
    let first = above.next()?;
    above.next().is_none().then_some(first.name)
}

/// How an output was written. The simulator counts writes of words of 4 bytes, so it cannot count
/// those of smaller elements.
fn counted_writes<'a>(param: &Param, seen: &'a Observations) -> Option<&'a ArrayUse> {
    let whole_words = param.dtype.bytes() >= 4;
    seen.arrays.iter().find(|array| whole_words && array.name == param.name)
}

/// The kernel of a launch that got one piece of memory for two parameters, and their numbers.
fn same_memory(launch: &LaunchRecord) -> Option<(String, [usize; 2])> {
    let all = || launch.arrays.iter().filter(|(i, _)| !is_inner(launch, *i));
    let twice = all().enumerate().find_map(|(n, (i, array))| {
        let (other, _) = all().skip(n + 1).find(|(_, other)| other == array)?;
        Some([*i, *other])
    })?;
    Some((launch.kernel.clone(), twice))
}

/// Whether an argument points into its memory, and not to the start.
fn is_inner(launch: &LaunchRecord, argument: usize) -> bool {
    launch.inner_pointers.iter().any(|(i, _)| *i == argument)
}

/// Launches that failed, so that nothing ran.
fn refused(program: &Report) -> usize {
    let launch = |finding: &&HostFinding| {
        let call = finding.at.as_ref().map_or("", |at| &at.call);
        finding.is_failed_call() && call.starts_with("cudaLaunch")
    };
    program.findings.iter().filter(launch).count()
}

fn compare_output(
    spec: &'static Spec,
    (case, inputs): (&Case, &[Value]),
    param: &'static Param,
    output: &Output,
    reference: &Array,
    run: &Run,
) -> Option<Mismatch> {
    let mut compared = Comparison::new(param.dtype, &output.data, reference, spec.tolerance);
    let mut elements = compared.wrong();
    if !elements.is_empty() && matches!(spec.tolerance, Tolerance::Roundings(_)) {
        compared =
            compared.with_magnitude(references::typical_magnitude(spec, case, inputs, param));
        elements = compared.wrong();
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
    let launches = run.program.as_ref().map(|program| &program.launches[..]);
    let (launch, launch_at) = match launches {
        None => (spec.kind.has_one_launch().then_some((case.grid, case.block)), None),
        Some([only]) => {
            let source = only.at.as_ref().and_then(|at| at.source.as_ref());
            (Some((only.grid, only.block)), source.map(|source| (source.line, source.column)))
        }
        Some(_) => (None, None),
    };
    // kernels may write to memory of the host, from which nothing has to be copied
    let on_device = |program: &&Report| {
        let copied = program.copies.to_host.bytes > 0;
        copied || program.allocations > 0 || program.launches.is_empty()
    };
    let programs = run.program.as_ref().filter(on_device);
    let copied = programs.zip(output.copied_back.as_ref()).map(|(program, back)| {
        let points = |launch: &LaunchRecord| {
            let to = launch.arrays.iter().filter(|(_, array)| back.from.contains(array));
            to.map(|(number, _)| (launch.kernel.clone(), *number)).collect::<Vec<_>>()
        };
        let mut parameters: Vec<_> = program.launches.iter().flat_map(points).collect();
        parameters.sort();
        parameters.dedup();
        let (all, to_host) = (output.data.len() as u64, program.copies.to_host.bytes);
        let direct =
            |output: &Output| output.copied_back.as_ref().is_some_and(|back| back.bytes > 0);
        let others = run.outputs.iter().any(|other| other.name != output.name && direct(other));
        let first = wrong.first().map(|index| (index * param.dtype.bytes()) as u64);
        let wrote = |write: &&HostWrite| {
            first.is_some_and(|byte| (write.bytes[0]..=write.bytes[1]).contains(&byte))
        };
        let written_by = back.written_by.iter().find(wrote).map(|write| write.at.clone());
        CopiedBack { direct: back.bytes, others, all, to_host, parameters, written_by }
    });
    let used = run.observations.as_ref().and_then(|seen| counted_writes(param, seen));
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
        kept: 0,
        fill: output.poison.and_then(|poison| compare::fill_value(param.dtype, poison)),
        nan: wrong.iter().filter(|&&i| !untouched(i) && compared.is_not_finite(i)).count(),
        examples: wrong.iter().take(MAX_EXAMPLES).map(example).collect(),
        pattern: pattern::find(&wrong, &compared, reference.shape(), owned),
        max_writes: used.filter(|_| !atomics).map(|array| array.max_writes),
        most_written: used.filter(|_| !atomics).map(|array| array.most_written),
        written: used.map(|array| array.written),
        launch,
        launch_at,
        copied,
        unchanged: false,
        same_as: None,
        origin: None,
        answers_right: None,
        other_unchanged: None,
        uncopied: run.uncopied.clone(),
        same_memory: launches.and_then(|all| all.iter().find_map(same_memory)),
        partial: run.program.as_ref().map_or_else(Vec::new, |program| program.partial.clone()),
        launches: run.program.as_ref().map(|program| program.launches.len() + refused(program)),
        store_lines: run.observations.as_ref().map(|seen| {
            let stores = |c: &ptxsim::Counters| c.store_requests + c.global_atomics > 0;
            seen.lines.iter().filter(|l| stores(&l.counters)).map(|l| l.source.line).collect()
        }),
    })
}

#[cfg(test)]
mod tests;
