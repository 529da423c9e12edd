//! The speed-ups of the optimise exercises on a real GPU, as a sentence for one exercise and as a
//! table for all.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::Problem;
use super::html::escape;
use checker::exercises;
use checker::explain::count;
use checker::gains::{self, Changed, Gain, Record, Times};

/// The recorded times of the H100, or those of the H200 if the exercise has changed since it was
/// measured on the H100.
///
/// # Errors
/// When a file is broken.
pub fn record_with(id: &str) -> Result<Record, Problem> {
    let record = record_of(None)?;
    let changed = |gain: &Gain| gain.id == id && gain.changed == Some(Changed::Exercise);
    if record.exercises.iter().any(changed) { record_of(Some("h200")) } else { Ok(record) }
}

/// The recorded times of one GPU: the H100 if `gpu` is `None`, or "h200".
///
/// # Errors
/// When the file is broken, or for another GPU.
pub fn record_of(gpu: Option<&str>) -> Result<Record, Problem> {
    match gpu {
        None => readable(gains::recorded(), "gains.toml"),
        Some("h200") => readable(gains::recorded_on_h200(), "gains-h200.toml"),
        Some(other) => Err(Problem::UnknownMarker(format!("gains {other}"))),
    }
}

fn readable(record: Result<Record, toml::de::Error>, file: &str) -> Result<Record, Problem> {
    record.map_err(|error| Problem::Invalid {
        path: PathBuf::from("checker/proof/records").join(file),
        message: error.to_string(),
    })
}

/// Below this share of a copy's bandwidth, a kernel is busy with something else than memory.
const LIMITED_BY_MEMORY: f64 = 0.1;

/// "On an NVIDIA H200 with n = ..., the original kernel takes ..."; empty when no times are
/// recorded.
pub fn sentence(record: &Record, id: &str) -> String {
    let Some(gain) = record.exercises.iter().find(|gain| gain.id == id) else {
        return String::new();
    };
    let (take, original, solution) = if gain.has_host_code() {
        ("take", "the original kernels", "the kernels of the solution")
    } else {
        ("takes", "the original kernel", "the kernel of the solution")
    };
    let mut out = format!(
        "On an {} with {}, {}.",
        escape(&record.gpu),
        grouped(&escape(&gain.sizes)),
        compared(&gain.kernels, take, original, solution)
    );
    if let Some(share) = gain.share(record.copy).filter(|share| *share >= LIMITED_BY_MEMORY) {
        let _ = write!(
            out,
            " The solution moves its bytes at {} of the rate of a plain copy within the GPU's memory.",
            percent(share)
        );
    }
    if let Some(program) = &gain.program {
        let _ = write!(
            out,
            " {}.",
            compared(
                program,
                "takes",
                "The whole original program, which also copies the data,",
                "the whole program of the solution"
            )
        );
    }
    out
}

/// "the original kernel takes 12.3 ms, and the kernel of the solution takes 617 µs, so the solution
/// is 20.0 times as fast"
fn compared(times: &Times, take: &str, original: &str, solution: &str) -> String {
    let second = format!("{solution} {take} {}", time(times.solution));
    let (Some(skeleton), Some(factor)) = (times.skeleton, times.factor()) else {
        return second;
    };
    let both = format!("{original} {take} {}, and {second}", time(skeleton));
    match factor {
        f if f >= 1.1 => format!("{both}, so the solution is {f:.1} times as fast"),
        f if f > 0.9 => format!("{both}, so there's hardly any difference on this GPU"),
        _ => format!("{both}, so it's slower on this GPU"),
    }
}

/// Digits in groups of three from 10 000 on, with no-break spaces.
fn grouped(sizes: &str) -> String {
    let words = sizes.split(' ').map(|word| {
        let digits = word.trim_end_matches(',');
        match digits.parse::<u64>() {
            Ok(number) => {
                format!("{}{}", count(number).replace(' ', "\u{a0}"), &word[digits.len()..])
            }
            Err(_) => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The speed-ups of all exercises.
pub fn table(record: &Record) -> String {
    if record.exercises.is_empty() {
        return "<p>No times are recorded here.</p>\n".into();
    }
    let mut out = String::from(
        "<table class=\"wb-table\">\n<thead><tr><th>Exercise</th><th>Large case</th><th>Timed</th><th>Original</th>\
         <th>Solution</th><th>Times as fast</th><th>Of a copy's bandwidth</th></tr></thead>\n<tbody>\n",
    );
    for gain in &record.exercises {
        let what = if gain.has_host_code() { "kernels" } else { "kernel" };
        let _ = writeln!(out, "{}", row(gain, what, &gain.kernels, gain.share(record.copy)));
        if let Some(program) = &gain.program {
            let _ = writeln!(out, "{}", row(gain, "whole program", program, None));
        }
    }
    let _ = writeln!(
        out,
        "</tbody>\n</table>\n<p>We measured these times on an {}, where a copy moves {:.0} GB/s, if we count both \
         the bytes that it reads and the bytes that it writes.</p>",
        escape(&record.gpu),
        record.copy / 1e9
    );
    out
}

fn row(gain: &Gain, what: &str, times: &Times, share: Option<f64>) -> String {
    let chapter = exercises::find(&gain.id).map_or("", |spec| spec.chapter);
    let dash = || "-".to_owned();
    format!(
        "<tr><th><a href=\"{chapter}/{id}.html\"><code>{id}</code></a></th>\
         <td data-label=\"Large case\">{}</td><td data-label=\"Timed\">{what}</td>\
         <td data-label=\"Original\">{}</td><td data-label=\"Solution\">{}</td>\
         <td data-label=\"Times as fast\">{}</td><td data-label=\"Of a copy's bandwidth\">{}</td></tr>",
        escape(&gain.sizes),
        times.skeleton.map_or_else(dash, time),
        time(times.solution),
        times.factor().map_or_else(dash, |factor| format!("{factor:.1}")),
        share.map_or_else(dash, percent),
        id = gain.id,
    )
}

/// A time with three significant digits.
fn time(milliseconds: f64) -> String {
    match milliseconds {
        ms if ms >= 100.0 => format!("{ms:.0} ms"),
        ms if ms >= 10.0 => format!("{ms:.1} ms"),
        ms if ms >= 1.0 => format!("{ms:.2} ms"),
        ms => format!("{:.0} µs", 1000.0 * ms),
    }
}

fn percent(share: f64) -> String {
    if share < 0.01 { "less than 1 %".into() } else { format!("{:.0} %", 100.0 * share) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(gain: Gain) -> Record {
        Record { gpu: "GPU".into(), compiler: "1".into(), copy: 4e12, exercises: vec![gain] }
    }

    fn gain(kernels: Times) -> Gain {
        Gain {
            id: "grid_stride".into(),
            sizes: "n = 8".into(),
            bytes: 2_000_000_000,
            changed: None,
            kernels,
            program: None,
        }
    }

    /// The sentences for a kernel whose skeleton is right, one whose skeleton is wrong, one without
    /// a speed-up, and a program.
    #[test]
    fn sentences() {
        let said = |gain: &Gain| sentence(&record(gain.clone()), "grid_stride");
        let kernel = gain(Times { skeleton: Some(12.34), solution: 0.617 });
        assert_eq!(
            said(&kernel),
            "On an GPU with n = 8, the original kernel takes 12.3 ms, and the kernel of the solution takes 617 µs, so \
             the solution is 20.0 times as fast. The solution moves its bytes at 81 % of the rate of a plain copy within the GPU's memory."
        );
        let fixed = gain(Times { skeleton: None, solution: 0.617 });
        assert!(said(&fixed).contains("the kernel of the solution takes 617 µs."));
        assert_eq!(grouped("rows = 4096, n = 16777216"), "rows = 4096, n = 16\u{a0}777\u{a0}216");
        let even = gain(Times { skeleton: Some(1.0), solution: 1.0 });
        assert!(said(&even).contains("hardly any difference on this GPU"));
        let slower = gain(Times { skeleton: Some(1.0), solution: 2.0 });
        assert!(said(&slower).contains("so it's slower on this GPU"));
        let program = Gain { id: "overlap".into(), program: Some(even.kernels), ..kernel };
        let said = sentence(&record(program.clone()), "overlap");
        assert!(said.contains(
            "The whole original program, which also copies the data, takes 1.00 ms, and the whole program of the \
             solution takes 1.00 ms"
        ));
        assert!(!said.contains("a plain copy"));
        assert_eq!(sentence(&record(program), "blocks"), "");
    }

    #[test]
    fn the_table_links_each_exercise() {
        let html = table(&record(gain(Times { skeleton: None, solution: 1.0 })));
        assert!(html.contains("href=\"ch01_threads/grid_stride.html\""), "{html}");
    }
}
