//! What the simulator has found in a program, in the order in which a learner should read it.

use cudart_sim::report::Report;
use cudart_sim::runtime::{LaunchRecord, Refusal};

use super::{Files, Remark, context};
use crate::backend::Fault;
use crate::explain;
use crate::text::sanitise;

/// What to say about a program that has ended, and whether something is wrong with it. `report` is
/// the simulator's. `unusual_end` says how the program ended if not by itself, in words that follow
/// "the program".
pub fn findings(
    files: &Files,
    report: Option<&Report>,
    unusual_end: Option<&str>,
    millis: u64,
) -> (Vec<Remark>, bool) {
    let mut remarks = vec![];
    let crash = report.and_then(|report| report.crashed.clone());
    if let Some(how) = unusual_end.filter(|_| crash.is_none()) {
        remarks.push(Remark::Line(format!("error: the program {how}")));
    }
    let Some(report) = report else { return (remarks, false) };
    let mut found = report.lost.is_some();
    let host = |fault: &Fault| {
        let file = files.at(place_of_fault(fault));
        let report = explain::host(fault, &context(&file.name, &file.text, millis))?;
        Some(Remark::Report(Box::new(report), file))
    };
    // A kernel that does not wait for its input often reads what nothing has written yet.
    let findings = report.ordered_findings();
    for finding in findings.first {
        let remark = host(&Fault::Host(finding));
        found |= remark.is_some();
        remarks.extend(remark);
    }
    // The others come in the order in which the program made them: the first is often the reason
    // for those after it.
    let mut others = findings.others.into_iter().peekable();
    for (launch, repeats) in distinct_launches(&report.launches) {
        found = true;
        while let Some(finding) = others.next_if(|finding| finding.launches <= launch.number) {
            remarks.extend(host(&Fault::Host(finding)));
        }
        let findings = &launch.observations.findings;
        if let Some(first) = findings.first() {
            let file = files.at(Some(&first.at.source));
            let context = context(&file.name, &file.text, millis);
            let report = explain::launch(launch, first, findings.len() - 1, &context);
            remarks.push(Remark::Report(Box::new(report), file));
        }
        if let Some(refusal) = &launch.refusal {
            remarks.push(refused(files, launch, refusal, millis));
        }
        if repeats > 0 {
            let launches = if repeats == 1 { "launch" } else { "launches" };
            let kernel = sanitise(&launch.kernel);
            remarks.push(Remark::Line(format!(
                "note: the same is wrong in {repeats} more {launches} of `{kernel}`"
            )));
        }
    }
    for launch in report.launches.iter().filter(|l| l.observations.output_dropped > 0) {
        let (kernel, bytes) = (sanitise(&launch.kernel), launch.observations.output_dropped);
        remarks.push(Remark::Line(format!(
            "note: the simulator keeps 16 MiB of what a launch prints, so {bytes} bytes of `{kernel}` are missing"
        )));
    }
    let leaked = leaked(report).then(|| Fault::Leaked(report.leaks.clone()));
    let crashed = crash.map(|crash| Fault::Crashed {
        signal: crash.signal,
        words: String::new(),
        crash: Some(crash),
    });
    for fault in others.map(Fault::Host).chain(leaked).chain(crashed) {
        let remark = host(&fault);
        found |= remark.is_some();
        remarks.extend(remark);
    }
    // A kernel that did not run loses the simulated device, which says nothing about the program.
    let refused = report.launches.iter().any(|launch| launch.refusal.is_some());
    if let Some(lost) = report.lost.as_ref().filter(|_| !refused) {
        remarks.push(Remark::Line(format!("note: the device was lost: {lost}")));
    }
    (remarks, found)
}

/// Why a kernel did not run, with its line where that is known.
fn refused(files: &Files, launch: &LaunchRecord, refusal: &Refusal, millis: u64) -> Remark {
    let file = files.at(refusal.at.as_ref());
    match explain::refused_launch(launch, refusal, &context(&file.name, &file.text, millis)) {
        Some(report) => Remark::Report(Box::new(report), file),
        None => {
            Remark::Line(format!("error: kernel `{}` did not run: {}", launch.kernel, refusal.text))
        }
    }
}

/// Whether memory that a finished program never freed is reported.
fn leaked(report: &Report) -> bool {
    // A program that crashed had no chance to free its memory, and a lost device frees nothing.
    !report.leaks.is_empty() && report.crashed.is_none() && report.lost.is_none()
}

/// The launches with findings, without those in which the same is wrong at the same line, and how
/// many these are.
fn distinct_launches(launches: &[LaunchRecord]) -> Vec<(&LaunchRecord, usize)> {
    let mut distinct: Vec<(&LaunchRecord, usize)> = vec![];
    let key = |launch: &LaunchRecord| {
        let first = launch.observations.findings.first();
        let fault = first.map(|f| (std::mem::discriminant(&f.what), f.at.source.clone()));
        (launch.kernel.clone(), launch.at.clone(), fault, launch.refusal.clone())
    };
    let wrong = |launch: &&LaunchRecord| {
        !launch.observations.findings.is_empty() || launch.refusal.is_some()
    };
    for launch in launches.iter().filter(wrong) {
        match distinct.iter_mut().find(|(other, _)| key(other) == key(launch)) {
            Some((_, repeats)) => *repeats += 1,
            None => distinct.push((launch, 0)),
        }
    }
    distinct
}

/// Where a mistake in host code is marked.
fn place_of_fault(fault: &Fault) -> Option<&ptxsim::Source> {
    match fault {
        Fault::Host(finding) => finding.at.as_ref()?.source.as_ref(),
        Fault::Leaked(leaks) => {
            leaks.iter().find_map(|leak| leak.at.as_ref().and_then(|at| at.source.as_ref()))
        }
        Fault::Crashed { crash, .. } => crash.as_ref()?.at.as_ref(),
        _ => None,
    }
}
