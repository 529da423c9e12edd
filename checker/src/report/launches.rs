//! The launches of a program, added up by kernel and shape.

use cudart_sim::clock::Span;
use cudart_sim::runtime::LaunchRecord;
use ptxsim::Counters;
use serde::Serialize;

use super::terminal::table_to_width;
use crate::text::sanitise;

/// Characters of a kernel's name in the table.
const NAME_COLUMNS: usize = 24;
/// Ranges of numbers that are listed.
const RANGES: usize = 3;
/// Streams that a cell of the table lists.
const STREAMS: usize = 3;
/// Lines that a cell of the table lists.
const LINES: usize = 2;

/// Launches of one kernel with the same grid and block. Their counts are added up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LaunchGroup {
    /// The numbers of the launches, from 1, in the order in which the device ran them.
    pub numbers: Vec<usize>,
    /// The kernel's name, without its parameters.
    pub kernel: String,
    /// The lines of host code that launch it.
    pub at: Vec<Line>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads per block.
    pub block: [u32; 3],
    /// The streams, by number; 0 is the default stream.
    pub streams: Vec<u64>,
    /// Microseconds on the simulated clock; `None` where a launch ended the context.
    pub microseconds: Option<f64>,
    /// The simulator's counters.
    pub counters: Counters,
}

/// A line of host code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The file's name without folders.
    pub file: String,
    /// One-based.
    pub line: u32,
}

/// Adds up the launches of each kernel that have the same shape, in the order of the first ones.
/// `chosen` are the numbers of the launches that count; `None` for all.
pub fn groups(
    launches: &[LaunchRecord],
    timeline: &[Span],
    chosen: Option<&[usize]>,
) -> Vec<LaunchGroup> {
    let mut groups: Vec<LaunchGroup> = vec![];
    let counts = |number: &usize| chosen.is_none_or(|chosen| chosen.contains(number));
    for (number, launch) in (1..).zip(launches).filter(|(number, _)| counts(number)) {
        let kernel = sanitise(&launch.kernel);
        let shape = (&kernel, launch.grid, launch.block);
        let known = groups.iter().position(|g| (&g.kernel, g.grid, g.block) == shape);
        let index = known.unwrap_or_else(|| {
            groups.push(LaunchGroup {
                numbers: vec![],
                kernel: kernel.clone(),
                at: vec![],
                grid: launch.grid,
                block: launch.block,
                streams: vec![],
                microseconds: Some(0.0),
                counters: Counters::default(),
            });
            groups.len() - 1
        });
        let Some(group) = groups.get_mut(index) else { continue };
        group.numbers.push(number);
        group.counters.add(&launch.observations.totals);
        let span = launch.span.and_then(|span| timeline.get(span));
        let took = span.map(|span| span.end - span.start);
        group.microseconds = group.microseconds.zip(took).map(|(sum, took)| sum + took);
        if !group.streams.contains(&launch.stream) {
            group.streams.push(launch.stream);
        }
        if let Some(line) = line_of(launch).filter(|line| !group.at.contains(line)) {
            group.at.push(line);
        }
    }
    groups
}

/// The line of host code that makes a launch.
pub fn line_of(launch: &LaunchRecord) -> Option<Line> {
    let source = launch.at.as_ref()?.source.as_ref().filter(|source| source.line > 0)?;
    let file = sanitise(source.file.rsplit('/').next().unwrap_or_default());
    Some(Line { file, line: source.line })
}

/// The launches as a table, with a row for each kernel and shape; empty without launches.
pub fn table(groups: &[LaunchGroup], width: usize) -> String {
    if groups.is_empty() { String::new() } else { table_to_width(&rows(groups), "  ", width) }
}

/// The cells of the table, first its header.
pub fn rows(groups: &[LaunchGroup]) -> Vec<Vec<String>> {
    let files = || groups.iter().flat_map(|group| &group.at).map(|line| &line.file);
    let several_files = files().next().is_some_and(|first| files().any(|file| file != first));
    let place = |line: &Line| match several_files {
        true => format!("{}:{}", line.file, line.line),
        false => line.line.to_string(),
    };
    let streams_matter = groups.iter().any(|group| group.streams != [0]);
    let times_matter = groups.iter().any(|group| group.numbers.len() > 1);
    let conflicts_matter = groups.iter().any(|group| group.counters.shared_conflicts() > 0);
    let row = |group: &LaunchGroup| {
        let total = &group.counters;
        let requests = total.load_requests + total.store_requests;
        let lines: Vec<String> = group.at.iter().map(place).collect();
        let streams: Vec<String> = group.streams.iter().map(ToString::to_string).collect();
        let name = group.kernel.split('(').next().unwrap_or_default();
        let times = times_matter.then(|| group.numbers.len().to_string());
        let stream = streams_matter.then(|| short(&streams, STREAMS));
        let mut row = vec![first_numbers(&group.numbers)];
        row.extend(times);
        row.push(name.chars().take(NAME_COLUMNS).collect());
        row.push(if lines.is_empty() { "-".into() } else { short(&lines, LINES) });
        row.extend([dims(group.grid), dims(group.block)]);
        row.extend(stream);
        row.extend([
            group.microseconds.map_or("-".into(), |sum| format!("{sum:.1}")),
            requests.to_string(),
            if requests == 0 { "-".into() } else { format!("{:.1}", total.sectors_per_request()) },
        ]);
        row.extend(conflicts_matter.then(|| total.shared_conflicts().to_string()));
        row
    };
    let columns: [(&str, bool); 11] = [
        ("launch", true),
        ("times", times_matter),
        ("kernel", true),
        ("line", true),
        ("grid", true),
        ("block", true),
        ("stream", streams_matter),
        ("us", true),
        ("requests", true),
        ("sectors", true),
        ("conflicts", conflicts_matter),
    ];
    let head = columns.iter().filter(|(_, shown)| *shown).map(|(name, _)| (*name).to_owned());
    std::iter::once(head.collect()).chain(groups.iter().map(row)).collect()
}

/// The numbers of a group in few columns: `1 to 8`, or `1, 3, ...`.
fn first_numbers(numbers: &[usize]) -> String {
    let whole = ranges(numbers);
    let own: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    if whole.contains(',') { short(&own, 2) } else { whole }
}

/// What the columns of the table count, and what a row adds up.
pub fn legend(groups: &[LaunchGroup]) -> String {
    let columns =
        "requests: global loads and stores, per warp; sectors: 32-byte sectors per request";
    let added = groups.iter().any(|group| group.numbers.len() > 1);
    let sums = "a row adds up the launches of a kernel that have the same grid and block; times: the number of these launches";
    if added { format!("{sums}; {columns}") } else { columns.to_owned() }
}

/// `1 to 20, 22` for these numbers in ascending order.
pub fn ranges(numbers: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = vec![];
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let range = |(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    short(&ranges.iter().map(range).collect::<Vec<_>>(), RANGES)
}

/// The first `most` words of a list, and that there are more.
fn short(all: &[String], most: usize) -> String {
    let mut text = all.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    if all.len() > most {
        text.push_str(", ...");
    }
    text
}

/// `4`, `4x2` or `4x2x3`.
fn dims([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(kernel: &str, grid: u32, requests: u64) -> LaunchRecord {
        let mut observations = ptxsim::Observations::default();
        observations.totals.load_requests = requests;
        let (grid, block) = ([grid, 1, 1], [32, 1, 1]);
        LaunchRecord { kernel: kernel.into(), grid, block, observations, ..LaunchRecord::default() }
    }

    #[test]
    fn launches_of_one_shape_are_added_up() {
        let all = [launch("a", 4, 1), launch("b", 4, 10), launch("a", 4, 2), launch("a", 8, 5)];
        let groups = groups(&all, &[], None);
        let seen = groups.iter().map(|g| (&*g.kernel, &*g.numbers, g.counters.load_requests));
        let expected: [(&str, &[usize], u64); 3] =
            [("a", &[1, 3], 3), ("b", &[2], 10), ("a", &[4], 5)];
        assert_eq!(seen.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn numbers_are_shown_as_ranges() {
        assert_eq!(ranges(&[1]), "1");
        assert_eq!(ranges(&[1, 2, 3, 5]), "1 to 3, 5");
        assert_eq!(ranges(&[1, 2, 4, 6, 8, 9, 10]), "1, 2, 4, 6, ...");
    }
}
