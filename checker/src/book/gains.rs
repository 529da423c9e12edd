//! What the optimise exercises gain on a real GPU, as a sentence for one and a table for all.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::Problem;
use super::html::escape;
use crate::exercises;
use crate::gains::{self, Gain, Record};

/// The record in the repository.
///
/// # Errors
/// When the file is broken.
pub fn record() -> Result<Record, Problem> {
    gains::recorded().map_err(|error| Problem::Invalid {
        path: PathBuf::from("checker/records/gains.toml"),
        message: error.to_string(),
    })
}

/// "On an NVIDIA H200, with n = ...: 1.2 ms as handed out, 0.2 ms solved."; empty where nothing is recorded.
pub fn sentence(record: &Record, id: &str) -> String {
    let Some(gain) = record.exercises.iter().find(|gain| gain.id == id) else {
        return String::new();
    };
    let what = if gain.program { "the whole program, copies included, takes" } else { "it takes" };
    let mut out = format!("On an {} with {}, {what} ", escape(&record.gpu), escape(&gain.sizes));
    let solution = time(gain.solution);
    match (gain.skeleton, gain.factor()) {
        (Some(skeleton), Some(factor)) => {
            let _ = write!(
                out,
                "{} as handed out and {solution} solved: {factor:.1} times faster.",
                time(skeleton)
            );
        }
        _ => {
            let _ = write!(out, "{solution} solved.");
        }
    }
    if let Some(share) = gain.share(record.copy) {
        let _ = write!(out, " That is {} of what a copy reaches there.", percent(share));
    }
    out
}

/// All of them.
pub fn table(record: &Record) -> String {
    if record.exercises.is_empty() {
        return "<p>No times are recorded here.</p>\n".into();
    }
    let mut out = String::from(
        "<table class=\"wb-table\">\n<thead><tr><th>Exercise</th><th>Large case</th><th>Handed out</th>\
         <th>Solved</th><th>Times faster</th><th>Of a copy's bandwidth</th></tr></thead>\n<tbody>\n",
    );
    for gain in &record.exercises {
        let _ = writeln!(out, "{}", row(record, gain));
    }
    let _ = writeln!(
        out,
        "</tbody>\n</table>\n<p>Measured on an {}, where a copy moves {:.0} GB/s, read and written together.</p>",
        escape(&record.gpu),
        record.copy / 1e9
    );
    out
}

fn row(record: &Record, gain: &Gain) -> String {
    let chapter = exercises::find(&gain.id).map_or("", |spec| spec.chapter);
    let dash = || "-".to_owned();
    format!(
        "<tr><th><a href=\"{chapter}/{id}.html\"><code>{id}</code></a></th>\
         <td data-label=\"Large case\">{}</td><td data-label=\"Handed out\">{}</td>\
         <td data-label=\"Solved\">{}</td><td data-label=\"Times faster\">{}</td>\
         <td data-label=\"Of a copy's bandwidth\">{}</td></tr>",
        escape(&gain.sizes),
        gain.skeleton.map_or_else(dash, time),
        time(gain.solution),
        gain.factor().map_or_else(dash, |factor| format!("{factor:.1}")),
        gain.share(record.copy).map_or_else(dash, percent),
        id = gain.id,
    )
}

/// Three digits.
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

    /// Numbers in words: a kernel that is handed out right, one that is to be fixed first, a program.
    #[test]
    fn sentences() {
        let kernel = Gain {
            id: "grid_stride".into(),
            sizes: "n = 8".into(),
            bytes: 2_000_000_000,
            program: false,
            skeleton: Some(12.34),
            solution: 0.617,
        };
        assert_eq!(
            sentence(&record(kernel.clone()), "grid_stride"),
            "On an GPU with n = 8, it takes 12.3 ms as handed out and 617 µs solved: 20.0 times faster. \
             That is 81 % of what a copy reaches there."
        );
        let fixed = Gain { skeleton: None, ..kernel.clone() };
        assert!(sentence(&record(fixed), "grid_stride").contains("it takes 617 µs solved."));
        let program = Gain { program: true, ..kernel };
        let said = sentence(&record(program), "grid_stride");
        assert!(said.contains("the whole program") && !said.contains("a copy reaches"), "{said}");
        assert_eq!(sentence(&record(Gain { id: "x".into(), ..said_of() }), "y"), "");
    }

    fn said_of() -> Gain {
        Gain {
            id: "blocks".into(),
            sizes: "n = 1".into(),
            bytes: 1,
            program: false,
            skeleton: None,
            solution: 1.0,
        }
    }

    #[test]
    fn the_table_links_each_exercise() {
        let html = table(&record(Gain { id: "grid_stride".into(), ..said_of() }));
        assert!(html.contains("href=\"ch01_threads/grid_stride.html\""), "{html}");
    }
}
