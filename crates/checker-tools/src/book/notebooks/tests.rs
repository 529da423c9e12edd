use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use serde_json::Value;

use super::*;

fn text(cell: &Value) -> String {
    let lines = cell["source"].as_array().expect("a list of lines");
    lines.iter().map(|line| line.as_str().expect("text")).collect()
}

/// The notebooks of the whole book: file -> cells.
fn written(book_url: Option<&str>) -> BTreeMap<String, Vec<Value>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book");
    let folder = tempfile::tempdir().unwrap();
    let addresses = Addresses { book_url, package: "cuda-workbook" };
    let paths = write(&root, folder.path(), &addresses).unwrap().written;
    let read = |path: &PathBuf| {
        let json: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!((&json["nbformat"], &json["nbformat_minor"]), (&4.into(), &5.into()));
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, json["cells"].as_array().unwrap().clone())
    };
    paths.iter().map(read).collect()
}

/// A learner who enters the command again on another day loses nothing.
#[test]
fn a_notebook_that_exists_is_kept() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book");
    let folder = tempfile::tempdir().unwrap();
    let addresses = Addresses { book_url: None, package: "cuda-workbook" };
    let first = write(&root, folder.path(), &addresses).unwrap();
    assert!(first.kept.is_empty());
    let [edited, missing] = [&first.written[1], &first.written[2]];
    fs::write(edited, "my work").unwrap();
    fs::remove_file(missing).unwrap();
    let again = write(&root, folder.path(), &addresses).unwrap();
    assert_eq!(fs::read_to_string(edited).unwrap(), "my work");
    assert_eq!(again.written, std::slice::from_ref(missing));
    assert_eq!(again.kept.len(), first.written.len() - 1);
}

/// A learner finds each exercise in exactly one notebook, and the cell is the original file, so
/// that a grader knows whether it was edited.
#[test]
fn every_exercise_is_a_cell_with_the_original() {
    let mut found = BTreeMap::new();
    for cells in written(None).values() {
        for cell in cells.iter().filter(|cell| cell["cell_type"] == "code") {
            let text = text(cell);
            let Some(rest) = text.strip_prefix("%%exercise ") else { continue };
            let (name, file) = rest.split_once('\n').unwrap();
            assert!(found.insert(name.to_owned(), file.to_owned()).is_none(), "{name} twice");
        }
    }
    for spec in checker::exercises::all() {
        let skeleton = checker::course::skeleton(spec).unwrap();
        let code = |text: &str| -> Vec<String> {
            let lines = text.trim_end().lines().filter(|line| !line.starts_with("// Run "));
            lines.map(|line| line.replace("cargo checker ", "%checker ")).collect()
        };
        let cell = found.remove(spec.id).unwrap_or_default();
        assert!(!cell.contains("cargo") && cell.contains("// Run     this cell"), "{cell}");
        let cell = cell.replace("%profile", &format!("%checker profile {}", spec.id));
        assert_eq!(code(&cell), code(skeleton), "{}", spec.id);
    }
    assert!(found.is_empty(), "{found:?}");
}

/// Jupyter refuses other ids, and nothing of mdBook's syntax is left for a reader to stumble over.
#[test]
fn notebooks_are_well_formed() {
    let id = Regex::new("^[a-zA-Z0-9_-]{1,64}$").unwrap();
    let links = Regex::new(r#"(?:\]\(|href=")((?:[^()"]|\([^()"]*\))*)"#).unwrap();
    let html_code = Regex::new("<code[^>]*>.*?</code>").unwrap();
    let notebooks = written(None);
    let heading = |line: &str| Some(line.trim_start_matches('#').trim().replace(['`', '*'], ""));
    let headings: BTreeMap<&str, BTreeSet<String>> = notebooks
        .iter()
        .map(|(file, cells)| {
            let texts = cells.iter().filter(|cell| cell["cell_type"] == "markdown").map(text);
            let lines: Vec<String> = texts
                .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
                .collect();
            let headings =
                lines.iter().filter(|line| line.starts_with('#')).filter_map(|l| heading(l));
            (file.as_str(), headings.map(|heading| heading.replace(' ', "-")).collect())
        })
        .collect();
    for (file, cells) in &notebooks {
        let ids: BTreeSet<&str> = cells.iter().map(|cell| cell["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), cells.len(), "{file}");
        assert!(ids.iter().all(|found| id.is_match(found)), "{file}: {ids:?}");
        assert_eq!(text(&cells[0]), setup("cuda-workbook"));
        for cell in cells {
            let text = text(cell);
            for left in ["{{#", "[!NOTE]", ",wrong", "notebook-cell", "cargo checker watch", "<!--"]
            {
                assert!(!text.contains(left), "{file}: {left} in {text}");
            }
            if cell["cell_type"] != "markdown" {
                assert!(!text.contains("ANCHOR"), "{file}: {text}");
                continue;
            }
            let prose: String = text.split("```").step_by(2).collect();
            let prose: String = prose.split('`').step_by(2).collect();
            // a launch of Numba's in HTML, `f[grid, block](a, n)`, is no link
            let prose = html_code.replace_all(&prose, "");
            for target in links.captures_iter(&prose).map(|found| found[1].to_owned()) {
                if target.contains(':') {
                    continue;
                }
                let (other, heading) = target.split_once('#').unwrap_or((&target, ""));
                let other = if other.is_empty() { file } else { other };
                let known = headings.get(other).unwrap_or_else(|| panic!("{file}: {target}"));
                // JupyterLab doesn't decode the heading of a link
                assert!(heading.is_empty() || known.contains(heading), "{file}: {target}");
            }
        }
    }
}

/// The commands of the book that run a listing, and listings that are whole programs, are cells.
#[test]
fn programs_can_be_run() {
    let notebooks = written(None);
    let codes: Vec<String> = notebooks["ch01_1_threads_blocks_grids.ipynb"]
        .iter()
        .filter(|cell| cell["cell_type"] == "code")
        .map(text)
        .collect();
    let whole = codes.iter().find(|code| code.starts_with("%%cuda\n")).expect("a program");
    assert!(whole.contains("#include <cstdio>") && whole.contains("int main("), "{whole}");
    assert!(codes.contains(&"%checker run book/examples/ch01/hello.cu".to_owned()), "{codes:?}");
    assert!(codes.contains(&"%hint add_one".to_owned()), "{codes:?}");
}

/// The page of a diagnostic is in no notebook, so a published book or a command shows it.
#[test]
fn links_to_other_pages() {
    let all = |url| -> String {
        written(url)
            .values()
            .flatten()
            .filter(|cell| cell["cell_type"] == "markdown")
            .map(text)
            .collect()
    };
    assert!(all(None).contains("(`%checker explain shared-race`)"));
    assert!(
        all(Some("https://example.org/book/"))
            .contains("(https://example.org/book/diagnostics/shared-race.html)")
    );
}

/// Jupyter shows code in the colour of other code, also in a link.
#[test]
fn the_text_of_a_link_is_no_code() {
    let cells: String = written(None)
        .values()
        .flatten()
        .filter(|cell| cell["cell_type"] == "markdown")
        .map(text)
        .collect();
    assert!(cells.contains("[add\\_one]("), "no link to add_one");
    assert!(!cells.contains("[`add_one`]("));
    assert!(!cells.contains("</code></a>"), "no link of HTML has code as its text");
}

#[test]
fn pages_are_split_at_cells_and_headings() {
    let page = "# A\n\ntext\n\n```notebook-cell\n%hint a\n```\n\nmore\n\n```cpp\n# no heading\n```\n\n## B\n\n### C\n";
    let (text, code) = (|t: &str| Cell::Markdown(t.to_owned()), Cell::Code("%hint a".to_owned()));
    assert_eq!(
        cells::split(page),
        [
            text("# A\n\ntext"),
            code,
            text("more\n\n```cpp\n# no heading\n```"),
            text("## B\n\n### C")
        ]
    );
}

#[test]
fn markdown_that_jupyter_lacks_is_replaced() {
    assert_eq!(
        text::for_jupyter("> [!NOTE]\n> x\n\n**Term**\n: meaning\n\nRun `cargo checker list`.\n"),
        "> **Note**\n>\n> x\n\n**Term**: meaning\n\nRun `%checker list`.\n"
    );
    let code = "```text\n> [!NOTE]\n$ cargo checker list\n```\n";
    assert_eq!(text::for_jupyter(code), code);
}
