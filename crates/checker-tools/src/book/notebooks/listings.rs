//! Before mdBook includes the listings: whole programs, and commands of the checker, become cells.

use std::path::Path;

use super::super::{Problem, read};
use super::cells::fence;

/// Replaces the fenced blocks of a page that a notebook runs. `page` is its path in the book's
/// `src`.
///
/// # Errors
/// When a listing can't be read.
pub fn to_cells(markdown: &str, page: &Path, root: &Path) -> Result<String, Problem> {
    let mut out = String::with_capacity(markdown.len());
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else {
            out.push_str(line);
            out.push('\n');
            if line.starts_with("```") {
                // A block without a language: its content is no fence of its own.
                for inside in lines.by_ref() {
                    out.push_str(inside);
                    out.push('\n');
                    if inside.starts_with("```") {
                        break;
                    }
                }
            }
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        let (language, wrong) = match info.split_once(',') {
            Some((language, attributes)) => (language, attributes.contains("wrong")),
            None => (info, false),
        };
        if wrong {
            out.push_str("*This code has a bug:*\n\n");
        }
        let cell = match (language, block.as_slice()) {
            ("cpp", [include]) => whole_program(include, page, root)?,
            ("console" | "text", commands) => commands_of_checker(commands, page),
            _ => None,
        };
        out.push_str(&cell.unwrap_or_else(|| {
            // JupyterLab doesn't know the other name of the language.
            let language = if language == "cpp" { "c++" } else { language };
            let content: String = block.iter().map(|line| format!("{line}\n")).collect();
            format!("```{language}\n{content}```\n")
        }));
    }
    Ok(out)
}

/// The cell of a listing, if the page shows all of its code.
fn whole_program(line: &str, page: &Path, root: &Path) -> Result<Option<String>, Problem> {
    let include = line.strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}"));
    let Some(include) = include else { return Ok(None) };
    let (path, anchor) = match include.split_once(':') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (include, None),
    };
    if !path.contains("/examples/") || !path.ends_with(".cu") {
        return Ok(None);
    }
    let folder = page.parent().unwrap_or(Path::new(""));
    let text = read(root.join("src").join(folder).join(path))?;
    let program = without_anchors(&text);
    let shows_all = match anchor {
        None => true,
        Some(anchor) => code(&anchored(&text, anchor)) == code(&program),
    };
    let is_program = program.contains("int main(");
    Ok((shows_all && is_program).then(|| fence(&format!("%%cuda\n{program}"))))
}

/// The lines of a part of a listing.
fn anchored(text: &str, anchor: &str) -> String {
    let is = |line: &str, mark: &str| {
        line.split_once(mark).is_some_and(|(_, name)| name.trim() == anchor)
    };
    let lines = text.lines().skip_while(|line| !is(line, "ANCHOR: ")).skip(1);
    lines.take_while(|line| !is(line, "ANCHOR_END: ")).map(|line| format!("{line}\n")).collect()
}

fn without_anchors(text: &str) -> String {
    let is_mark = |line: &&str| line.contains("ANCHOR: ") || line.contains("ANCHOR_END: ");
    text.lines().filter(|line| !is_mark(line)).map(|line| format!("{line}\n")).collect()
}

/// The lines of code, without comments, includes and anchors.
fn code(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    let is_code =
        |line: &&str| !line.is_empty() && !line.starts_with("//") && !line.starts_with("#include");
    lines.filter(is_code).collect()
}

/// The cell of a block of commands, if all of them are for the checker.
fn commands_of_checker(commands: &[&str], page: &Path) -> Option<String> {
    let arguments: Option<Vec<&str>> =
        commands.iter().map(|command| command.strip_prefix("cargo checker ")).collect();
    let arguments = arguments.filter(|all| !all.is_empty())?;
    if arguments.iter().any(|command| *command == "watch" || command.starts_with("book ")) {
        // These wait for keys or for a browser.
        return None;
    }
    if let [watch] = arguments.as_slice()
        && let Some(name) = watch.strip_prefix("watch ")
    {
        let own = page.file_stem().is_some_and(|stem| stem == name);
        return Some(if own {
            "Run the cell with your code again after each change, with Shift+Enter.\n".to_owned()
        } else {
            format!("You'll find [`{name}`]({name}.md) below, in this notebook.\n")
        });
    }
    let magics = arguments.iter().map(|line| match line.split_once(' ') {
        Some((command @ ("profile" | "trace" | "hint" | "solution"), rest)) => {
            format!("%{command} {rest}")
        }
        _ => format!("%checker {line}"),
    });
    Some(fence(&magics.collect::<Vec<_>>().join("\n")))
}
