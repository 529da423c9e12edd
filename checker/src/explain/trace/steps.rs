//! Describes the steps of a thread: what each line read, decided and changed.

mod accesses;
mod control;
mod values;

use ptxsim::Finding;
use ptxsim::trace::{Binding, Kind, Step};

use super::super::scene::Scene;
use super::super::words::many;
use super::Followed;
use crate::diagnostic::Slug;
use crate::report::trace::{Accessed, Fact, Named, Step as ReportStep};
use crate::text::sanitise;
use control::{Control, control, names};
use values::{is_itself, list};

/// Largest number of lines over which a statement is searched for names.
const STATEMENT_LINES: u32 = 6;

/// Describes the steps of a trace.
pub struct StepWriter<'f, 'a> {
    pub followed: Followed<'f>,
    /// The launch: its kernel's parameters, its shape, and the source.
    pub scene: Scene<'a>,
    /// The own name of a program's kernel.
    pub kernel: Option<String>,
}

/// The statement of a step, and the step itself.
struct Executed<'s> {
    step: &'s Step,
    /// Its code; empty on a line that only closes a body.
    statement: &'s str,
    control: Option<&'s Control>,
    /// It is the first line of a function.
    called: bool,
}

/// What a header sets before its condition, and what the line sets after everything else.
struct Changes {
    first: Vec<Named>,
    last: Vec<Named>,
}

impl StepWriter<'_, '_> {
    /// Describes a step, given the ones before and after it.
    pub fn step(&self, step: &Step, before: Option<&Step>, next: Option<&Step>) -> ReportStep {
        let line = step.source.line;
        let statement = self.statement(line);
        let control = control(&statement);
        let executed = Executed {
            step,
            statement: &statement,
            control: control.as_ref(),
            called: self.scene.source.begins_function(line, &step.function),
        };
        // The return from a call has no new values of its arguments.
        let back = before.is_some_and(|before| before.depth > step.depth);
        let uses = if back { vec![] } else { self.uses(&executed) };
        let condition = control.as_ref().and_then(|control| self.decided(step, control, next));
        let accesses: Vec<Accessed> =
            step.accesses.iter().map(|touch| self.access(touch)).collect();

        let changes = self.changes(&executed);
        let mut facts: Vec<String> = lanes(step, before).into_iter().collect();
        let is_used = |named: &Named| uses.iter().any(|used| used.name == named.name);
        let news: Vec<Named> = changes.first.into_iter().filter(|named| !is_used(named)).collect();
        if !news.is_empty() {
            facts.push(list(&news));
        }
        facts.extend(inputs(&executed, &uses, &accesses, condition));
        let mut facts: Vec<Fact> =
            facts.into_iter().map(|text| Fact { text, wrong: false }).collect();
        facts.extend(self.touched(step, &accesses));
        let after = [self.outcome(&executed, &changes.last), barrier(step)];
        facts.extend(after.into_iter().flatten().map(|text| Fact { text, wrong: false }));
        let findings = self.followed.observations.findings.iter();
        let wrong = findings.filter_map(|finding| self.involves(finding, step));
        facts.extend(wrong.map(|text| Fact { text, wrong: true }));
        if step.left {
            facts.push(Fact { text: "exits".into(), wrong: false });
        }
        ReportStep {
            line,
            text: sanitise(self.scene.source.line(line).unwrap_or_default()),
            function: step.function.clone(),
            depth: step.depth,
            lanes: step.lanes.count_ones(),
            uses,
            set: self.changed(&step.set),
            accesses,
            condition,
            loop_lines: control
                .filter(|control| control.repeats && self.followed.trace.variables)
                .map(|control| {
                    let body = self.scene.source.body(line, control.word);
                    (line, body.map_or(line, |(_, last)| last))
                }),
            facts,
        }
    }

    /// The statement that begins on a line. After a brace that closes a body, the text goes on with
    /// the next statement.
    fn statement(&self, line: u32) -> String {
        let closes = |text: &str| text.split("//").next().is_some_and(|code| code.trim() == "}");
        if self.scene.source.line(line).is_some_and(closes) {
            return String::new();
        }
        self.scene.source.statement_text(line, STATEMENT_LINES)
    }

    /// The variables and built-ins that a statement reads, with their values.
    fn uses(&self, Executed { step, statement, control, .. }: &Executed<'_>) -> Vec<Named> {
        let read = control.map_or(*statement, |control| control.condition.as_str());
        let mut uses: Vec<Named> = vec![];
        for name in names(read) {
            let value = match control {
                Some(control) => control.tested(step, &name),
                None => step.before(&name).cloned(),
            };
            let value = value.filter(|v| v.kind != Kind::Pointer).map(|v| self.shown(&v));
            let value = value.or_else(|| self.built_in(&name));
            if let Some(value) = value
                && !uses.iter().any(|named| named.name == name)
            {
                uses.push(Named { name, value });
            }
        }
        uses
    }

    /// The variables that changed, with their new values.
    fn changed(&self, bindings: &[Binding]) -> Vec<Named> {
        let others = bindings.iter().filter(|b| !is_itself(b));
        others.map(|b| Named { name: b.name.clone(), value: self.shown(&b.value) }).collect()
    }

    /// What a header sets before its condition is shown with the condition, and what a body on the
    /// same line sets is shown after everything else. So is a variable that the condition reads and
    /// then changes.
    fn changes(&self, Executed { step, control, .. }: &Executed<'_>) -> Changes {
        let set = self.changed(&step.set);
        let Some(control) = control else { return Changes { first: vec![], last: set } };
        let at_branch = if step.branches == 0 { &step.set } else { &step.set_at_branch };
        let (after, first): (Vec<Named>, Vec<Named>) = self
            .changed(at_branch)
            .into_iter()
            .partition(|named| control.changes_after(&named.name).is_some());
        let is_after = |named: &Named| after.iter().any(|later| later.name == named.name);
        let last = set.into_iter().filter(|named| is_after(named) || !first.contains(named));
        Changes { last: last.collect(), first }
    }

    /// The values of a function's arguments, or what the line has set.
    fn outcome(&self, executed: &Executed<'_>, set: &[Named]) -> Option<String> {
        if !executed.called {
            return (!set.is_empty()).then(|| format!("-> {}", list(set)));
        }
        let of = |name: String| Some(Named { value: self.argument(executed.step, &name)?, name });
        let known: Vec<Named> = names(executed.statement).filter_map(of).collect();
        (!known.is_empty()).then(|| format!("called with {}", list(&known)))
    }

    /// A finding of the launch that this thread takes part in on this line; its own faults are
    /// already shown.
    fn involves(&self, finding: &Finding, step: &Step) -> Option<String> {
        let me = |access: &ptxsim::Access| {
            access.block == self.followed.thread.block
                && access.thread == self.followed.thread.thread
                && access.source.line == step.source.line
        };
        let slug = Slug::of_finding(finding);
        let other = match (&finding.with, &finding.at) {
            (Some(with), at) if me(at) => Some(with),
            (Some(with), at) if me(with) => Some(at),
            (None, at) if me(at) && step.accesses.iter().all(|touch| touch.fault.is_none()) => None,
            _ => return None,
        };
        Some(match other {
            Some(other) if other.source.line > 0 => {
                format!("{slug} with {}, on line {}", self.scene.thread(other), other.source.line)
            }
            Some(other) => format!("{slug} with {}", self.scene.thread(other)),
            None => slug.as_str().to_owned(),
        })
    }
}

/// What a statement reads, and what its condition decides.
fn inputs(
    Executed { statement, control, called, .. }: &Executed<'_>,
    uses: &[Named],
    accesses: &[Accessed],
    condition: Option<bool>,
) -> Option<String> {
    let repeats = control.is_some_and(|control| control.repeats);
    let decision = match condition {
        Some(true) if repeats => Some("true, another iteration"),
        Some(false) if repeats => Some("false, the loop ends"),
        Some(true) => Some("true"),
        Some(false) => Some("false"),
        None => None,
    };
    // A name that is alone between brackets is already visible in the element.
    let seen = |named: &&Named| {
        accesses.iter().any(|a| a.index.map(|i| i.to_string()).as_ref() == Some(&named.value))
            && statement.contains(&format!("[{}]", named.name))
    };
    let shown: Vec<Named> = uses.iter().filter(|named| !called && !seen(named)).cloned().collect();
    match (shown.is_empty(), decision) {
        (false, Some(decision)) => Some(format!("{}: {decision}", list(&shown))),
        (false, None) => Some(list(&shown)),
        (true, Some(decision)) => Some(format!("the condition is {decision}")),
        (true, None) => None,
    }
}

/// How many of the warp's threads are here, where that has changed.
fn lanes(step: &Step, before: Option<&Step>) -> Option<String> {
    let (here, live) = (step.lanes.count_ones(), step.live.count_ones());
    let were = before.map_or(live, |before| before.lanes.count_ones());
    if here == were {
        return None;
    }
    Some(if here == live {
        format!("all {live} threads of the warp are together again")
    } else if here == 1 {
        format!("alone: the other {} threads of the warp are not here", live - 1)
    } else {
        format!("with {} of the warp's {} other threads", here - 1, live - 1)
    })
}

/// How many of the block's threads have arrived at a barrier.
fn barrier(step: &Step) -> Option<String> {
    let (arrived, all) = step.barrier?;
    let exited: u32 = step.exited.iter().map(|(_, lanes)| lanes.count_ones()).sum();
    let threads = many(all.into(), "thread", "threads");
    Some(match (arrived + exited >= all, exited) {
        (true, 0) => format!("all {threads} of the block have arrived, so it continues"),
        (true, _) => format!(
            "{arrived} of the block's {threads} have arrived, and the other {exited} have exited, so it continues"
        ),
        (false, 0) => format!("waits until all {threads} of the block have arrived"),
        (false, _) => format!(
            "waits for other threads: {arrived} of the block's {threads} have arrived, and {exited} have exited"
        ),
    })
}
