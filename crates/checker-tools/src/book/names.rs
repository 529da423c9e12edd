//! Compares the terms of CUDA C++ with those of other ways to program a GPU: `book/names.toml`, as
//! a table for each way.

use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

use super::html::{escape, inline};
use super::{Problem, read};
use checker::diagnostic::Slug;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    group: Vec<Group>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    title: String,
    /// What stands in the place of the rows for a way that has none of these concepts.
    without: Option<String>,
    row: Vec<Row>,
}

/// One concept and its names; code is in backquotes.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    what: String,
    runtime: Option<String>,
    pycuda: Option<String>,
    numba: Option<String>,
    cupy: Option<String>,
    pyopencl: Option<String>,
    cudarc: Option<String>,
    /// Where the book explains it: an exercise, a diagnostic, or text.
    here: Option<String>,
}

/// A way to program a GPU, and the field of a row with its name.
type Way = (&'static str, fn(&Row) -> &Option<String>);

const WAYS: &[Way] = &[
    ("PyCUDA", |row| &row.pycuda),
    ("Numba", |row| &row.numba),
    ("CuPy", |row| &row.cupy),
    ("PyOpenCL", |row| &row.pyopencl),
    ("cudarc", |row| &row.cudarc),
];

/// The tables of `book/names.toml`.
///
/// # Errors
/// When the file is missing or has errors.
pub fn show(root: &Path) -> Result<String, Problem> {
    let path = root.join("names.toml");
    let names: Names = toml::from_str(&read(path.clone())?)
        .map_err(|error| Problem::Invalid { path, message: error.to_string() })?;
    let mut out = String::from("<wb-steps aria-label=\"Where you come from\">\n");
    for way in WAYS {
        table(&mut out, way, &names.group);
    }
    out.push_str("</wb-steps>\n");
    Ok(out)
}

/// One way beside the CUDA runtime. The HTML has no empty line, because Markdown would end it
/// there.
fn table(out: &mut String, (way, name): &Way, groups: &[Group]) {
    let _ = writeln!(
        out,
        "<figure data-title=\"{way}\">\n<table class=\"wb-table wb-names\">\n<thead><tr><th></th><th>{way}</th>\
         <th>CUDA C++, in this book</th><th>taught in</th></tr></thead>"
    );
    for group in groups {
        let _ = writeln!(
            out,
            "<tbody>\n<tr class=\"wb-group\"><th colspan=\"4\">{}</th></tr>",
            escape(&group.title)
        );
        if group.row.iter().all(|row| name(row).is_none()) {
            let without = group.without.as_deref().map_or("-".into(), inline);
            let _ = writeln!(out, "<tr><td colspan=\"4\">{without}</td></tr>\n</tbody>");
            continue;
        }
        for row in &group.row {
            let shown = |name: &Option<String>| name.as_deref().map_or("-".into(), inline);
            let _ = writeln!(
                out,
                "<tr><th>{}</th><td data-label=\"{way}\">{}</td><td data-label=\"CUDA C++\">{}</td>\
                 <td data-label=\"taught in\">{}</td></tr>",
                inline(&row.what),
                shown(name(row)),
                shown(&row.runtime),
                row.here.as_deref().map_or("-".into(), link)
            );
        }
        out.push_str("</tbody>\n");
    }
    out.push_str("</table>\n</figure>\n");
}

/// A link to the exercise or the diagnostic of this name, or else the text.
fn link(here: &str) -> String {
    if let Ok(spec) = checker::exercises::find(here) {
        return format!("<a href=\"../{}/{1}.md\"><code>{1}</code></a>", spec.chapter, spec.id);
    }
    match Slug::parse(here) {
        Some(slug) => format!("<a href=\"../diagnostics/{slug}.md\"><code>{slug}</code></a>"),
        None => inline(here),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last column links to the page that explains the concept, and a missing name is a dash.
    #[test]
    fn names_lead_to_exercises_and_diagnostics() {
        assert!(link("blocks").contains("../ch01_threads/blocks.md"));
        assert!(link("shared-race").contains("../diagnostics/shared-race.md"));
        assert_eq!(link("chapter 2"), "chapter 2");
        let row =
            Row { what: "fill".into(), runtime: Some("`cudaMemset`".into()), ..Row::default() };
        let numba =
            Row { what: "copy".into(), numba: Some("`to_device`".into()), ..Row::default() };
        let groups = [Group {
            title: "Memory".into(),
            without: Some("As in this book".into()),
            row: vec![row, numba],
        }];
        let mut out = String::new();
        table(&mut out, &WAYS[1], &groups);
        assert!(out.contains("<td data-label=\"Numba\">-</td>"), "{out}");
        assert!(!out.contains("\n\n"), "an empty line would end the HTML");
        table(&mut out, &WAYS[2], &groups);
        assert!(out.contains("As in this book"), "CuPy has no names of its own here: {out}");
    }
}
