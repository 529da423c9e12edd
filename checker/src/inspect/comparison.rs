//! Compares the build that was traced with the optimised code that `check` runs.

use ptxsim::FindingKind;

use crate::backend::{Fault, Output, Run};
use crate::diagnostic::Slug;

/// How the results of the traced build compare with those of the code that `check` runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// They are the same.
    Same,
    /// They are the same, and only the traced build makes a mistake: the compiler has left out an
    /// access whose value is not used.
    UnusedAccess,
    /// Both make a mistake first that is at the same place, or not.
    BothMistaken(Option<Mistake>),
    /// Only the code that `check` runs makes a mistake.
    OnlyOptimised(Mistake),
    /// The traced build was stopped at the limit of instructions, and the other one was not.
    OverBudget,
    /// They differ.
    Different,
}

/// The first mistake of the code that `check` runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Its name.
    pub slug: Slug,
    /// Its line, if it has one.
    pub line: Option<u32>,
    /// The traced build ran to its end without it.
    pub only_optimised: bool,
}

impl Comparison {
    /// Compares a run of the code that `check` runs with a run of the traced build. The outputs
    /// called `times` hold measured times, which differ in any two runs.
    pub fn of(usual: &Run, traced: &Run, times: &[&str]) -> Self {
        let outputs = |run| of_other_names(run, times);
        let same_outputs = outputs(usual).eq(outputs(traced));
        let is_whole = completed(usual) && completed(traced);
        match (usual.faults.first(), traced.faults.first()) {
            (None, None) if same_outputs => Self::Same,
            (None, Some(_)) if same_outputs && is_whole => Self::UnusedAccess,
            (None, Some(fault)) if is_over_budget(fault) => Self::OverBudget,
            (None, _) => Self::Different,
            (Some(fault), None) => Self::OnlyOptimised(Mistake::new(fault, traced)),
            (Some(fault), Some(other)) => {
                let differs = place(fault) != place(other);
                Self::BothMistaken(differs.then(|| Mistake::new(fault, traced)))
            }
        }
    }

    /// Whether both builds gave the same results, as far as they have results.
    pub const fn has_same_results(&self) -> bool {
        matches!(self, Self::Same | Self::UnusedAccess | Self::BothMistaken(None))
    }

    /// Whether the verdict of the traced build explains the trace. Otherwise it is that of the code
    /// that `check` runs.
    pub fn is_about_traced_build(&self) -> bool {
        matches!(self, Self::BothMistaken(_) | Self::Different)
    }
}

impl Mistake {
    fn new(fault: &Fault, traced: &Run) -> Self {
        let here = place(fault);
        let only_optimised =
            completed(traced) && traced.faults.iter().all(|other| place(other) != here);
        Self { slug: here.0, line: here.1, only_optimised }
    }
}

fn of_other_names<'a>(run: &'a Run, names: &[&str]) -> impl Iterator<Item = &'a Output> {
    run.outputs.iter().filter(move |output| !names.contains(&output.name.as_str()))
}

fn completed(run: &Run) -> bool {
    run.observations.as_ref().is_some_and(|seen| seen.completed)
}

fn finding(fault: &Fault) -> Option<&ptxsim::Finding> {
    match fault {
        Fault::Finding(finding) | Fault::InLaunch { finding, .. } => Some(finding),
        _ => None,
    }
}

/// The name of a fault and its line.
fn place(fault: &Fault) -> (Slug, Option<u32>) {
    let line = finding(fault).map(|finding| finding.at.source.line).filter(|line| *line > 0);
    (Slug::of_fault(fault), line)
}

fn is_over_budget(fault: &Fault) -> bool {
    finding(fault).is_some_and(|finding| matches!(finding.what, FindingKind::OverBudget { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(bytes: &[u8], faults: &[Fault]) -> Run {
        let data = bytes.to_vec();
        let output = Output { name: "out".into(), data, poison: None, copied_back: None };
        let observations = ptxsim::Observations { completed: true, ..Default::default() };
        Run {
            outputs: vec![output],
            faults: faults.to_vec(),
            observations: Some(observations),
            ..Run::new("simulator".into())
        }
    }

    /// A trace says that results differ only where two builds without a mistake have different
    /// results, or the traced one makes a mistake that changes them.
    #[test]
    fn comparisons() {
        let (one, other) = (run(&[1], &[]), run(&[2], &[]));
        assert_eq!(Comparison::of(&one, &one, &[]), Comparison::Same);
        assert_eq!(Comparison::of(&one, &other, &[]), Comparison::Different);
        let fault = [Fault::TimedOut { seconds: 1.0 }];
        assert_eq!(Comparison::of(&one, &run(&[1], &fault), &[]), Comparison::UnusedAccess);
        assert_eq!(Comparison::of(&one, &run(&[2], &fault), &[]), Comparison::Different);
        let both = Comparison::of(&run(&[1], &fault), &run(&[2], &fault), &[]);
        assert_eq!(both, Comparison::BothMistaken(None));
        let mistake = Mistake { slug: Slug::NeverFinishes, line: None, only_optimised: true };
        let only = Comparison::of(&run(&[1], &fault), &one, &[]);
        assert_eq!(only, Comparison::OnlyOptimised(mistake.clone()));
        let another = [Fault::Exited { code: 3 }];
        let both = Comparison::of(&run(&[1], &fault), &run(&[2], &another), &[]);
        assert_eq!(both, Comparison::BothMistaken(Some(mistake)));
    }
}
