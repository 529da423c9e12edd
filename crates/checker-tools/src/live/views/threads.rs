//! The steps of a warp: what each lane does, and what one chosen thread computes.

use std::collections::BTreeMap;

use checker::backend::Fault;
use checker::explain::Words;
use checker::inspect::{Comparison, Traced};
use checker::report::trace::Accessed;
use checker::text::sanitise;
use checker::verdict::Verdict;
use ptxsim::trace::{End, Step, Thread, Trace};
use ptxsim::{Access, Action, Finding};
use serde::Serialize;

use super::lines::cut;
use super::values;

/// Steps of the warp that are shown at most.
const MAX_ROWS: usize = 500;
/// Variables of a step that are shown at most.
const MAX_VARIABLES: usize = 20;
/// Accesses of a step that are shown at most.
const MAX_ACCESSES: usize = 8;

/// A warp, step by step.
#[derive(Debug, Serialize)]
pub struct Threads {
    grid: [u32; 3],
    block_size: [u32; 3],
    block: [u32; 3],
    thread: [u32; 3],
    lane: u32,
    warp: u32,
    /// The index of each lane's thread in its block.
    threads: Vec<[u32; 3]>,
    /// The source lines that the steps are on.
    source: BTreeMap<u32, String>,
    rows: Vec<Row>,
    /// Whether steps are missing: between the first and the last ones, or at the end.
    incomplete: bool,
    /// How the chosen thread ended.
    end: &'static str,
    /// The arrays that the warp accesses, by their number in steps.
    arrays: Vec<ArrayShape>,
    finding: Option<Found>,
    /// Why the steps may differ from those of the code that is checked.
    note: Option<&'static str>,
    /// Of a program, the number of the launch, and how many launches the program makes.
    launch: Option<[usize; 2]>,
}

#[derive(Debug, Serialize)]
struct ArrayShape {
    name: String,
    space: &'static str,
    elements: Option<u64>,
}

/// One execution of a line by lanes that were together.
#[derive(Debug, Serialize)]
struct Row {
    line: u32,
    depth: u32,
    /// A bit for each lane that executed it.
    lanes: u32,
    /// A bit for each lane that had not exited.
    live: u32,
    /// What the lanes access.
    touched: Vec<Touched>,
    /// What the chosen thread does, if it takes part.
    own: Option<Own>,
    barrier: Option<Waiting>,
}

/// An access of several lanes.
#[derive(Debug, Serialize)]
struct Touched {
    array: usize,
    action: &'static str,
    /// The lanes with the index of the element that each of them accesses.
    cells: Vec<[i64; 2]>,
}

/// A step of the chosen thread.
#[derive(Debug, Serialize)]
struct Own {
    /// The variables with their values after the step, and whether the step has changed them.
    variables: Vec<(String, String, bool)>,
    accesses: Vec<OwnAccess>,
    /// What the step does, in words, and whether it's a mistake.
    facts: Vec<(String, bool)>,
    /// The thread exits.
    left: bool,
}

#[derive(Debug, Serialize)]
struct OwnAccess {
    array: Option<usize>,
    element: String,
    index: Option<i64>,
    /// The element as the simulator counts, from the beginning of the allocation.
    #[serde(skip)]
    allocated_index: Option<i64>,
    action: &'static str,
    /// The value that the element has after the access, where it is known.
    value: Option<String>,
    wrong: bool,
}

/// Who waits at a barrier when the lanes of a step arrive there.
#[derive(Debug, Serialize)]
struct Waiting {
    /// Threads that have arrived, the lanes of this step included.
    arrived: u32,
    /// Threads of the block.
    threads: u32,
    /// The warps that wait already: the number and the lanes.
    warps: Vec<(u32, u32)>,
    /// The warps with lanes that have exited.
    exited: Vec<(u32, u32)>,
}

/// The mistake that the case ends with.
#[derive(Debug, Serialize)]
struct Found {
    block: [u32; 3],
    thread: [u32; 3],
    line: u32,
    /// The step at which the chosen thread makes it.
    row: Option<usize>,
}

/// A lane that was followed.
pub(super) struct LaneTrace<'a> {
    pub lane: u32,
    pub trace: &'a Trace,
}

/// The lanes of a warp that was followed.
pub(super) struct Lanes<'a> {
    pub warp: u32,
    pub lane: u32,
    /// The index of each lane's thread in its block.
    pub threads: Vec<[u32; 3]>,
    /// In the order of the lanes.
    pub lanes: Vec<LaneTrace<'a>>,
}

/// The lanes of the warp of `thread`, whose trace this is, in blocks of this size.
pub(super) fn lanes(trace: &Trace, thread: [u32; 3], block_size: [u32; 3]) -> Lanes<'_> {
    let [width, height, depth] = block_size.map(|n| n.max(1));
    let linear = thread[0] + width.wrapping_mul(thread[1] + height * thread[2]);
    let lane = linear % 32;
    let mut lanes: Vec<LaneTrace<'_>> = trace
        .neighbours
        .iter()
        .map(|other| LaneTrace { lane: other.lane, trace: &other.trace })
        .chain([LaneTrace { lane, trace }])
        .collect();
    lanes.sort_by_key(|lane| lane.lane);
    let first = linear - lane;
    let all = u64::from(width) * u64::from(height) * u64::from(depth);
    let numbers = (first..first + 32).filter(|number| u64::from(*number) < all);
    let threads = numbers.map(|n| [n % width, n / width % height, n / width / height]).collect();
    Lanes { warp: linear / 32, lane, threads, lanes }
}

/// A warp that was followed.
#[derive(Debug, Clone, Copy)]
pub struct Followed<'a> {
    /// The chosen thread.
    pub thread: Thread,
    /// Its steps, and those of its warp's other threads.
    pub trace: &'a Trace,
    /// The text of the file whose lines the steps are on.
    pub source: &'a str,
    /// The mistake that the launch ends with.
    pub finding: Option<&'a Finding>,
    /// The grid and the block of the launch.
    pub shape: [[u32; 3]; 2],
    /// Why the steps may differ from those of the code that is checked.
    pub note: Option<&'static str>,
    /// Of a program, the number of the launch, and how many launches the program makes.
    pub launch: Option<[usize; 2]>,
}

impl<'a> Followed<'a> {
    /// A warp of an exercise's case, in a launch with this grid and block.
    pub fn of_case(traced: &'a Traced, shape: [[u32; 3]; 2]) -> Self {
        let finding = match &traced.verdict {
            Some(Verdict::Fault { fault, .. }) => match &**fault {
                Fault::Finding(finding) | Fault::InLaunch { finding, .. } => Some(finding),
                _ => None,
            },
            _ => None,
        };
        Self {
            thread: traced.thread,
            trace: &traced.trace,
            source: &traced.source,
            finding,
            shape,
            note: without_variables(&traced.trace).or_else(|| compared(&traced.comparison)),
            launch: traced.launch.as_ref().map(|launch| [launch.number, launch.all]),
        }
    }
}

impl Threads {
    /// The steps of a warp.
    pub fn new(followed: &Followed<'_>, words: &Words<'_>) -> Self {
        let Followed { thread, trace, source, finding, shape: [grid, block_size], note, launch } =
            *followed;
        let all = lanes(trace, thread.thread, block_size);
        let mut groups: BTreeMap<(u64, u32), Vec<(u32, &Step)>> = BTreeMap::new();
        for lane in &all.lanes {
            for step in lane.trace.first.iter().chain(&lane.trace.last) {
                groups.entry((step.clock, step.source.line)).or_default().push((lane.lane, step));
            }
        }
        let incomplete =
            groups.len() > MAX_ROWS || all.lanes.iter().any(|lane| lane.trace.skipped > 0);
        let facts = facts(trace, words);
        let mut arrays = vec![];
        let rows: Vec<Row> = groups
            .values()
            .take(MAX_ROWS)
            .map(|steps| row(steps, (all.lane, &facts), &mut arrays, words))
            .collect();
        let texts: Vec<&str> = source.lines().collect();
        let source = rows
            .iter()
            .filter_map(|row| {
                let text = texts.get((row.line as usize).checked_sub(1)?)?;
                Some((row.line, cut(text)))
            })
            .collect();
        Self {
            grid,
            block_size,
            block: thread.block,
            thread: thread.thread,
            lane: all.lane,
            warp: all.warp,
            threads: all.threads,
            source,
            finding: finding.map(|finding| found(finding, &thread, &rows)),
            rows,
            incomplete,
            end: match trace.end {
                End::Left => "left",
                End::Fault => "fault",
                End::Waiting => "waiting",
                End::Running => "running",
                End::NotStarted => "not-started",
            },
            arrays,
            note,
            launch,
        }
    }
}

/// What each step of the chosen thread does, by its beginning and its line.
type Facts = BTreeMap<(u64, u32), Vec<(String, bool)>>;

fn facts(trace: &Trace, words: &Words<'_>) -> Facts {
    let steps: Vec<&Step> = trace.first.iter().chain(&trace.last).collect();
    let described = steps.iter().enumerate().map(|(i, step)| {
        let next = steps.get(i + 1).filter(|_| i + 1 != trace.first.len() || trace.skipped == 0);
        let before = i.checked_sub(1).and_then(|i| steps.get(i));
        let facts = words.facts(step, before.copied(), next.copied());
        let facts = facts.into_iter().map(|fact| (sanitise(&fact.text), fact.wrong)).collect();
        ((step.clock, step.source.line), facts)
    });
    described.collect()
}

fn row(
    steps: &[(u32, &Step)],
    (own, facts): (u32, &Facts),
    arrays: &mut Vec<ArrayShape>,
    words: &Words<'_>,
) -> Row {
    let mut touched: Vec<Touched> = vec![];
    for (lane, step) in steps {
        for access in step.accesses.iter().take(MAX_ACCESSES) {
            let said = words.access(access);
            let (Some(array), Some(index)) = (number(access, &said, arrays), said.index) else {
                continue;
            };
            let (action, cell) = (values::action(access), [i64::from(*lane), index]);
            let free = |one: &&mut Touched| {
                let last = one.cells.last().is_none_or(|last| last[0] != cell[0]);
                one.array == array && one.action == action && last
            };
            match touched.iter_mut().find(free) {
                Some(one) => one.cells.push(cell),
                None => touched.push(Touched { array, action, cells: vec![cell] }),
            }
        }
    }
    touched.truncate(MAX_ACCESSES);
    let first = steps.first().map(|(_, step)| *step);
    let barrier = steps.iter().find_map(|(_, step)| Some((step.barrier?, *step)));
    Row {
        line: first.map_or(0, |step| step.source.line),
        depth: first.map_or(0, |step| step.depth),
        lanes: steps.iter().fold(0, |mask, (lane, _)| mask | 1 << lane),
        live: steps.iter().fold(0, |live, (_, step)| live | step.live),
        touched,
        own: steps
            .iter()
            .find(|(lane, _)| *lane == own)
            .map(|(_, step)| own_step(step, facts, arrays, words)),
        barrier: barrier.map(|((arrived, threads), step)| Waiting {
            arrived,
            threads,
            warps: step.waiting.clone(),
            exited: step.exited.clone(),
        }),
    }
}

/// The number of an access's array among those that were seen.
fn number(
    access: &ptxsim::trace::MemoryAccess,
    said: &Accessed,
    arrays: &mut Vec<ArrayShape>,
) -> Option<usize> {
    let name = sanitise(said.array.as_deref()?);
    let space = values::space(access);
    let known = arrays.iter().position(|array| array.name == name && array.space == space);
    Some(known.unwrap_or_else(|| {
        // A pointer into an array may have other elements than the array.
        let is_whole = said.index == access.access.index;
        let elements = access.access.elements.filter(|_| is_whole);
        arrays.push(ArrayShape { name, space, elements });
        arrays.len() - 1
    }))
}

fn own_step(step: &Step, facts: &Facts, arrays: &mut Vec<ArrayShape>, words: &Words<'_>) -> Own {
    let mut variables: Vec<(String, String, bool)> = vec![];
    // inner variables hide outer ones of the same name
    let changed = step.set.iter().map(|binding| (binding, true));
    let others = step.variables.iter().rev().map(|binding| (binding, false));
    for (binding, is_changed) in changed.chain(others) {
        if variables.iter().all(|(name, ..)| *name != binding.name) {
            let value = words.value(&binding.value);
            variables.push((sanitise(&binding.name), sanitise(&value), is_changed));
        }
    }
    variables.truncate(MAX_VARIABLES);
    variables.sort();
    let accesses = step.accesses.iter().take(MAX_ACCESSES).map(|access| {
        let said = words.access(access);
        OwnAccess {
            array: number(access, &said, arrays),
            element: sanitise(&said.element),
            index: said.index,
            allocated_index: access.access.index,
            action: values::action(access),
            value: if access.access.action == Action::Atomic { said.new } else { said.value },
            wrong: access.fault.is_some(),
        }
    });
    let facts = facts.get(&(step.clock, step.source.line)).cloned().unwrap_or_default();
    Own { accesses: accesses.collect(), variables, facts, left: step.left }
}

/// A mistake, and the step of the chosen thread that makes it.
fn found(finding: &Finding, thread: &Thread, rows: &[Row]) -> Found {
    // of two parties, the chosen thread may be the other one
    let is_own = |access: &&Access| (access.block, access.thread) == (thread.block, thread.thread);
    let own = [Some(&finding.at), finding.with.as_ref()].into_iter().flatten().find(is_own);
    let at = own.unwrap_or(&finding.at);
    let line = at.source.line;
    let here = |row: &Row| row.own.is_some() && row.line == line;
    let touches = |row: &Row, exactly: fn(&OwnAccess, &Access) -> bool| {
        row.own.iter().flat_map(|own| &own.accesses).any(|access| exactly(access, at))
    };
    let wrong = rows.iter().position(|row| touches(row, |access, _| access.wrong));
    let same =
        |access: &OwnAccess, at: &Access| at.index.is_some() && access.allocated_index == at.index;
    let touched = rows.iter().rposition(|row| here(row) && touches(row, same));
    let row = wrong.or(touched).or_else(|| rows.iter().rposition(here)).filter(|_| own.is_some());
    Found { block: at.block, thread: at.thread, line, row }
}

/// What the steps of a build without debugging data lack.
pub fn without_variables(trace: &Trace) -> Option<&'static str> {
    (!trace.variables).then_some(
        "The simulator can't run the build for debugging, so these are steps of the optimised code, without variables.",
    )
}

/// How the steps of the build for debugging may differ from those of the code that is checked.
fn compared(comparison: &Comparison) -> Option<&'static str> {
    match comparison {
        Comparison::Different => Some(
            "The build for debugging, which is shown, has other results than the optimised code, which is checked.",
        ),
        Comparison::OnlyOptimised(_) => Some(
            "Only the optimised code, which is checked, makes the mistake. The build for debugging, which is shown, doesn't.",
        ),
        Comparison::OverBudget => Some(
            "The build for debugging, which is shown, was stopped at the limit of instructions.",
        ),
        _ => None,
    }
}
