//! The parts of an exercise's page that come from its Spec.

use std::fmt::Write;

use super::html::{escape, folded, inline};
use super::{Problem, gains};
use checker::course;
use checker::explain::count;
use checker::gains::Record;
use checker::spec::{Case, Metric, Op, Param, Role, Spec, Start};

/// Goal, minutes, parameters, cases and gates.
pub fn card(spec: &Spec, record: &Record) -> String {
    let mut out = String::from("<div class=\"wb-card\">\n");
    let _ = writeln!(
        out,
        "<p class=\"wb-goal\"><strong>Goal:</strong> {}.</p>\n<p class=\"wb-facts\"><span>{}</span> \
         <span>about {} minutes</span> <span><code>exercises/<wbr>{}/<wbr>{}.cu</code></span></p>",
        inline(spec.goal),
        start(spec.start),
        spec.minutes,
        spec.chapter,
        spec.id.replace('_', "_<wbr>")
    );
    parameters(&mut out, spec);
    cases(&mut out, spec);
    gates(&mut out, spec);
    let gained = gains::sentence(record, spec.id);
    if !gained.is_empty() {
        let _ = writeln!(out, "<p class=\"wb-gain\">{gained}</p>");
    }
    out.push_str("</div>\n");
    out
}

const fn start(start: Start) -> &'static str {
    match start {
        Start::Write => "write: fill the gaps",
        Start::Fix => "fix: the results aren't right yet",
        Start::Optimise => "optimise: the results are right, but a count misses its target",
    }
}

fn parameters(out: &mut String, spec: &Spec) {
    let column = format!("Your {}", spec.kind.noun());
    let _ = writeln!(
        out,
        "<table class=\"wb-table\">\n<thead><tr><th>Parameter</th><th>Type</th><th>Shape</th><th>{column}</th></tr></thead>\n<tbody>"
    );
    for Param { name, role, dtype, shape } in spec.params {
        let (pointer, use_of_it) = match role {
            Role::In => ("*", "only reads it"),
            Role::Out | Role::Host => ("*", "fills it"),
            Role::InOut => ("*", "reads and changes it"),
            Role::Answer => ("*", "copies your answers into it"),
            Role::Time => ("*", "fills it with the time measured"),
            Role::Scalar => ("", "gets a copy of the number"),
        };
        let constant = if *role == Role::In { "const " } else { "" };
        let shape = if shape.is_empty() { "one number" } else { shape };
        let _ = writeln!(
            out,
            "<tr><th><code>{}</code></th><td data-label=\"Type\"><code>{constant}{}{pointer}</code></td>\
             <td data-label=\"Shape\">{}</td><td data-label=\"{column}\">{use_of_it}</td></tr>",
            name,
            dtype.cuda_name(),
            escape(shape)
        );
    }
    out.push_str("</tbody>\n</table>\n");
}

fn cases(out: &mut String, spec: &Spec) {
    let cases = spec.cases;
    let launched = spec.kind.has_one_launch();
    let _ = writeln!(
        out,
        "<details>\n<summary>The {} cases with which the checker tests your code</summary>",
        cases.len()
    );
    let head = if launched { "<th>Launch</th>" } else { "" };
    let _ = writeln!(
        out,
        "<table class=\"wb-table\">\n<thead><tr><th>Case</th><th>Sizes</th>{head}<th>Why this case</th></tr></thead>\n<tbody>"
    );
    for case in cases {
        let defines =
            case.defines.iter().map(|(name, value)| format!("{name}\u{a0}=\u{a0}{value}"));
        let sizes = case.sizes.iter().map(|(n, v)| format!("{n}\u{a0}=\u{a0}{}", grouped(*v)));
        let sizes: Vec<String> = defines.chain(sizes).collect();
        let _ = writeln!(
            out,
            "<tr><th>{}</th><td data-label=\"Sizes\">{}</td>{}<td data-label=\"Why this case\">{}</td></tr>",
            escape(case.name),
            sizes.join(", "),
            if launched {
                format!("<td data-label=\"Launch\">{}</td>", launch(case))
            } else {
                String::new()
            },
            inline(case.why)
        );
    }
    out.push_str("</tbody>\n</table>\n</details>\n");
}

fn launch(case: &Case) -> String {
    let blocks = noun(case.grid, "block", "blocks");
    let threads = noun(case.block, "thread", "threads");
    format!("{} {blocks} of {} {threads}", extent(case.grid), extent(case.block))
}

/// The singular if there is only one.
const fn noun([x, y, z]: [u32; 3], one: &'static str, many: &'static str) -> &'static str {
    if x * y * z == 1 { one } else { many }
}

/// "5", "5 x 3": without trailing dimensions of 1.
fn extent([x, y, z]: [u32; 3]) -> String {
    let word = |d: u32| grouped(d as usize);
    match (y, z) {
        (1, 1) => word(x),
        (_, 1) => format!("{} x {}", word(x), word(y)),
        _ => format!("{} x {} x {}", word(x), word(y), word(z)),
    }
}

/// "1 000 003": digits in groups of three from 10 000 on, with no-break spaces.
fn grouped(number: usize) -> String {
    count(number as u64).replace(' ', "\u{a0}")
}

fn gates(out: &mut String, spec: &Spec) {
    if spec.gates.is_empty() {
        return;
    }
    let gated: Vec<&Case> = spec.cases.iter().filter(|case| case.gated).collect();
    let counted = match gated[..] {
        _ if gated.len() == spec.cases.len() => String::new(),
        [case] => format!(" in the case <em>{}</em>", escape(case.name)),
        _ => {
            let names: Vec<String> =
                gated.iter().map(|case| format!("<em>{}</em>", escape(case.name))).collect();
            format!(" in the cases {}", names.join(", "))
        }
    };
    let _ = writeln!(
        out,
        "<p>In addition to the right results, the exercise requires these counts{counted}:</p>\n<ul>"
    );
    for gate in spec.gates {
        let op = match gate.op {
            Op::AtMost => "at most ",
            Op::AtLeast => "at least ",
            Op::Exactly => "exactly ",
        };
        let from =
            gate.baseline.map_or_else(String::new, |b| format!(" (you start with {})", number(b)));
        let _ =
            writeln!(out, "<li>{}: {op}{}{from}</li>", metric(gate.metric), number(gate.target));
    }
    out.push_str("</ul>\n");
    // The chapter explains the counts of its kernels after its first exercises. The page of its
    // program explains the other counts.
    if spec.chapter == "ch01_threads" && spec.kind.has_one_launch() {
        out.push_str(
            "<p>The page <a href=\"grids.html\">Grids and memory</a> explains these counts. You meet \
             them if each thread accesses each of its elements only once, and neighbouring threads access \
             neighbouring elements.</p>\n",
        );
    }
}

/// A number with at most two digits after the decimal point.
pub fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    if rounded.fract() == 0.0 { grouped(rounded as usize) } else { rounded.to_string() }
}

/// What is counted, as a noun phrase.
pub const fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::SectorsPerRequest { .. } => "sectors of 32 bytes per global request",
        Metric::WritesPerElement => "writes to each element of the output",
        Metric::SharedConflicts => "shared-memory bank conflicts",
        Metric::SharedRequests => "shared-memory requests",
        Metric::SharedWords => "words that threads load from shared memory, or store there",
        Metric::SingleProducts => "multiplications of single floats or halves, executed by warps",
        Metric::LoadRequests => "global load requests",
        Metric::LoadsPerElement => "global loads by threads for each element of the output",
        Metric::BytesPerElement => {
            "bytes that global loads move, in sectors of 32, for each element of the output"
        }
        Metric::StoreRequests => "global store requests",
        Metric::TextureRequests { .. } => {
            "texture and surface requests (fetches, loads and stores of a warp)"
        }
        Metric::DivergentBranches => "divergent branches",
        Metric::SharedBytes => "bytes of shared memory in a block",
        Metric::Barriers => "barriers that each warp executes",
        Metric::GlobalAtomics => "atomic operations of threads on global memory",
        Metric::Branches => "branches executed by warps",
        Metric::BytesToDevice => "bytes copied to the device",
        Metric::BytesToHost => "bytes copied back",
        Metric::CopiesToDevice => "copies to the device",
        Metric::CopiesToHost => "copies back",
        Metric::CopiesWithinDevice => "copies from the device to the device",
        Metric::CopiesWithinHost => "copies from the host to the host",
        Metric::Launches => "kernel launches",
        Metric::SpareBlocks => "blocks that have nothing to do",
        Metric::IdleLanes => "empty positions in the last warp of a block",
        Metric::Allocations => "device allocations",
        Metric::LiveAllocations => "device allocations at once",
        Metric::LiveBytes => "bytes of device memory that are allocated at once",
        Metric::StaticBytes => "bytes of variables in the device's global memory",
        Metric::Overlap => "share of the time in which two engines work at once",
        Metric::ConcurrentKernels => "share of the kernels' time in which at least two of them run",
        Metric::KernelTime => "microseconds in which any kernel runs, on the simulated clock",
        Metric::MatrixProducts => "products of matrices on tensor cores",
        Metric::Instructions => "instructions executed by warps",
        Metric::BusiestWarp => "instructions executed by any one warp",
        Metric::LoadsInFlight => "loads in flight when a warp waits",
        Metric::BytesInFlight => "bytes in flight when a warp waits",
        Metric::WorkDuringLoads => "instructions of a warp between a load and the wait for it",
        Metric::ResidentWarps => "resident warps of a multiprocessor",
        Metric::Waves => {
            "blocks of the grid, divided by the blocks that the device holds at the same time"
        }
        Metric::LocalBytes => "bytes of local memory of a thread",
        Metric::TimedKernels => "share of the kernel's time that is measured",
        Metric::TimedCopies => "share of the copies' time in the measured interval",
        Metric::DeviceWaits => "waits for the whole device, or for other work between two launches",
        Metric::FailedCalls => "calls that fail in the steps in which a call has to fail",
    }
}

/// The original file, even if the learner has edited it.
///
/// # Errors
/// When the course has no such file.
pub fn skeleton(spec: &Spec) -> Result<String, Problem> {
    listing(course::skeleton(spec), "skeleton", spec)
}

/// The solution, folded.
///
/// # Errors
/// When the course has no such file.
pub fn solution(spec: &Spec) -> Result<String, Problem> {
    let listing = listing(course::solution(spec), "solution", spec)?;
    Ok(folded("wb-solution", "Solution (look after you have passed)", &listing))
}

fn listing(text: Option<&str>, what: &str, spec: &Spec) -> Result<String, Problem> {
    let text = text.ok_or_else(|| Problem::NoListing(format!("{what} of {}", spec.id)))?;
    Ok(format!("```cpp\n{}\n```\n", text.trim_end()))
}

/// The hints, each folded. The last one is left out in print, where a page can't be folded.
pub fn hints(spec: &Spec) -> String {
    let last = spec.hints.len();
    spec.hints
        .iter()
        .enumerate()
        .map(|(i, hint)| {
            let (class, note) = match i + 1 == last {
                true => ("wb-hint wb-spoiler", ", nearly the answer"),
                false => ("wb-hint", ""),
            };
            folded(class, &format!("Hint {}{note}", i + 1), &format!("<p>{}</p>", inline(hint)))
        })
        .collect()
}

/// Common mistakes, and why they are wrong.
pub fn pitfalls(spec: &Spec) -> String {
    let mut out = String::from("<ul class=\"wb-pitfalls\">\n");
    for pitfall in spec.pitfalls {
        let _ = writeln!(out, "<li>{}</li>", inline(pitfall));
    }
    out.push_str("</ul>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// workbook.css leaves out in print what is marked as a spoiler.
    #[test]
    fn only_the_last_hint_is_a_spoiler() {
        for spec in checker::exercises::all().iter().copied() {
            let hints = hints(spec);
            assert_eq!(hints.matches("wb-spoiler").count(), 1, "{}", spec.id);
            let last = hints.rsplit("<details").next().unwrap_or_default();
            assert!(last.contains("wb-spoiler"), "{}: {last}", spec.id);
        }
    }
}
