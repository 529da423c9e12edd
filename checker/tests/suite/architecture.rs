//! The rules of ARCHITECTURE.md's table of modules hold. The test reads the table itself, so the
//! two cannot drift apart.
//!
//! A path counts wherever it stands, in a `use` line or inline, and with `crate::`, `super::` or a
//! crate's name in front. Comments, strings and code under `#[cfg(test)]` do not count.

use std::fs;
use std::path::{Path, PathBuf};

/// What a module may use.
#[derive(Debug)]
enum Allowed {
    /// Only these rows.
    Only(Vec<String>),
    /// Everything but these rows.
    AllBut(Vec<String>),
}

/// One row of the table, such as "`judge` | compares results | `spec`, `value`".
#[derive(Debug)]
struct Row {
    /// `judge`; `commands/*` for each module of a folder by itself; `ptxsim` for a crate of this
    /// workspace.
    name: String,
    allowed: Allowed,
}

/// A path that the code of one file uses.
#[derive(Debug)]
struct Use {
    segments: Vec<String>,
    line: usize,
}

#[test]
fn modules_use_only_what_the_table_allows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let rows = rows(&fs::read_to_string(root.join("ARCHITECTURE.md")).expect("readable"));
    // the modules of the checker and of `runner` have rows of their own
    let source = root.join("checker/src");
    let with_modules = [source.clone(), root.join("crates/runner/src")];
    let mut broken = vec![];
    let mut files: Vec<(PathBuf, Vec<String>)> = vec![];
    for folder in &with_modules {
        for file in rust_files(folder) {
            let module = module_of(file.strip_prefix(folder).expect("inside"));
            files.push((file, module));
        }
    }
    for row in &rows {
        let source = root.join("crates").join(&row.name).join("src");
        if source.is_dir() {
            files
                .extend(rust_files(&source).into_iter().map(|file| (file, vec![row.name.clone()])));
        }
    }
    for (file, module) in files {
        let Some(user) = owner(&rows, &module, &source) else {
            // the library's root and the program's `main`
            let is_root = match &module[..] {
                [] => true,
                [first, ..] => ["main", "bin"].contains(&first.as_str()),
            };
            assert!(is_root, "{} has no row in ARCHITECTURE.md", file.display());
            continue;
        };
        let text = fs::read_to_string(&file).expect("readable");
        let has_modules = with_modules.iter().any(|folder| file.starts_with(folder));
        let modules = has_modules.then_some(&module[..]);
        for used_path in paths(&tokens(&text), modules) {
            let Some(used) = owner(&rows, &used_path.segments, &source) else { continue };
            if used.unit == user.unit || allows(&rows[user.row], &rows[used.row].name) {
                continue;
            }
            let (path, line) = (file.display(), used_path.line);
            broken.push(format!("{path}:{line}: {} -> {}", user.unit, used.unit));
        }
    }
    assert!(broken.is_empty(), "ARCHITECTURE.md does not allow:\n{}", broken.join("\n"));
}

/// Every row may use only rows above it, so there are no cycles.
#[test]
fn the_table_goes_from_the_bottom_to_the_top() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let rows = rows(&fs::read_to_string(root.join("ARCHITECTURE.md")).expect("readable"));
    for (index, row) in rows.iter().enumerate() {
        let Allowed::Only(names) = &row.allowed else { continue };
        for name in names {
            let above = rows[..index].iter().any(|above| above.name == *name);
            assert!(above, "`{}` uses `{name}`, which has no row above it", row.name);
        }
    }
}

/// The kind of an exercise is matched where code is compiled and nowhere else; other modules ask
/// `Kind`'s methods.
#[test]
fn only_the_compilation_matches_the_kind_of_an_exercise() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in rust_files(&source) {
        let place = file.strip_prefix(&source).expect("inside");
        let may = ["spec", "spec.rs", "exercises"].iter().any(|part| place.starts_with(part))
            || place == Path::new("attempt/code.rs");
        let tokens = tokens(&fs::read_to_string(&file).expect("readable"));
        let kinds = tokens.windows(3).filter(|window| {
            let [kind, _, variant] = window else { return false };
            kind.text == "Kind" && ["Kernel", "Program"].contains(&variant.text.as_str())
        });
        for kind in kinds {
            assert!(may, "{}:{} matches the kind", file.display(), kind[0].line);
        }
    }
}

/// The rows of the table whose head is `| module | ... | may use |`.
fn rows(text: &str) -> Vec<Row> {
    let mut lines = text
        .lines()
        .skip_while(|line| !(line.starts_with("| module |") && line.ends_with("| may use |")));
    assert!(lines.next().is_some(), "ARCHITECTURE.md has a table of modules");
    let mut rows = vec![];
    for line in lines.skip(1).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let [name, _, uses] = cells[..] else { panic!("three cells: {line}") };
        for name in quoted(name) {
            let allowed = match uses.trim().strip_prefix("everything but") {
                Some(but) => Allowed::AllBut(quoted(but)),
                None if uses.trim() == "everything" => Allowed::AllBut(vec![]),
                None => Allowed::Only(quoted(uses)),
            };
            rows.push(Row { name, allowed });
        }
    }
    rows
}

/// The texts between backticks.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn allows(row: &Row, used: &str) -> bool {
    match &row.allowed {
        Allowed::Only(names) => names.iter().any(|name| name == used),
        Allowed::AllBut(names) => !names.iter().any(|name| name == used),
    }
}

/// The part of the code that a path belongs to.
struct Owner {
    /// Index of its row.
    row: usize,
    /// The row's name, or for a row such as `commands/*` the module that is meant:
    /// `commands/check`.
    unit: String,
}

/// The row of a module or item; `None` when it is no module of ours: a macro or an item of the
/// library's root.
fn owner(rows: &[Row], segments: &[String], source: &Path) -> Option<Owner> {
    let first = segments.first()?;
    let find = |name: &str| rows.iter().position(|row| row.name == name);
    if let Some(second) = segments.get(1)
        && let Some(row) = find(&format!("{first}/*"))
    {
        let unit = format!("{first}/{second}");
        if source.join(format!("{unit}.rs")).exists() || source.join(&unit).is_dir() {
            return Some(Owner { row, unit });
        }
    }
    let row = find(first)?;
    Some(Owner { row, unit: first.clone() })
}

/// `attempt/code.rs` as `[attempt, code]`, `judge/mod.rs` as `[judge]`, `lib.rs` as `[]`.
fn module_of(file: &Path) -> Vec<String> {
    let mut parts: Vec<String> =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib")) {
        parts.pop();
    }
    parts
}

/// Every source file below `folder` that is not a test.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = vec![];
    for entry in
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path())
    {
        let stem = entry.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if stem == "tests" || stem.ends_with("_tests") {
            continue;
        }
        if entry.is_dir() {
            files.extend(rust_files(&entry));
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            files.push(entry);
        }
    }
    files.sort();
    files
}

/// A name, `::` or another character of the code.
#[derive(Debug, Clone, PartialEq)]
struct Token {
    text: String,
    line: usize,
}

/// The code without comments, strings and items under `#[cfg(test)]`.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = vec![];
    let mut rest = text;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = raw_string(rest) {
            length
        } else if first == '"' {
            quoted_length(rest, '"')
        } else if first == '\'' && is_char_literal(rest) {
            quoted_length(rest, '\'')
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            let end = end.unwrap_or(rest.len());
            tokens.push(Token { text: rest[..end].to_owned(), line });
            end
        } else if rest.starts_with("::") {
            tokens.push(Token { text: "::".to_owned(), line });
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(Token { text: first.to_string(), line });
            }
            first.len_utf8()
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    without_tests(tokens)
}

/// The length of a raw string at the start of `text`.
fn raw_string(text: &str) -> Option<usize> {
    let body = text.strip_prefix('b').unwrap_or(text).strip_prefix('r')?;
    let hashes = body.chars().take_while(|c| *c == '#').count();
    body[hashes..].starts_with('"').then(|| {
        let end = format!("\"{}", "#".repeat(hashes));
        let start = text.len() - body.len() + hashes + 1;
        text[start..].find(&end).map_or(text.len(), |at| start + at + end.len())
    })
}

/// The length of a literal with escapes at the start of `text`, its quotes included.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == quote {
            return at + 1;
        }
    }
    text.len()
}

/// Whether `text` starts with `'x'` or `'\n'`, as opposed to a lifetime.
fn is_char_literal(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    chars.next() == Some('\\') || chars.next() == Some('\'')
}

fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.text == text);
    let mut kept = vec![];
    let mut at = 0;
    while at < tokens.len() {
        let attribute = is(at, "#") && is(at + 1, "[") && is(at + 2, "cfg") && is(at + 3, "(");
        let test = is(at + 4, "test") || (is(at + 4, "all") && is(at + 6, "test"));
        if attribute && test {
            at = item_end(&tokens, at);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// The index behind the item whose first attribute starts at `start`.
fn item_end(tokens: &[Token], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut attribute = false;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token.text.as_str() {
            "#" if depth == 0 => attribute = true,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && token.text == "}" {
                    return at + 1;
                }
                if depth == 0 && token.text == "]" && attribute {
                    attribute = false;
                }
            }
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// Every path of the code that starts with a crate of this workspace or, in a `module` of the
/// checker, with `crate` or `super`; the latter from the crate's root.
fn paths(tokens: &[Token], module: Option<&[String]>) -> Vec<Use> {
    let mut found = vec![];
    for (at, token) in tokens.iter().enumerate() {
        let inside_a_path = at > 0 && tokens[at - 1].text == "::";
        let followed = tokens.get(at + 1).is_some_and(|next| next.text == "::");
        if inside_a_path || !followed {
            continue;
        }
        match (token.text.as_str(), module) {
            ("crate", Some(_)) => {
                leaves(tokens, at + 2, &[], &mut found);
            }
            ("super", Some(module)) => {
                let mut parent = module.to_vec();
                let mut next = at;
                while tokens.get(next).is_some_and(|token| token.text == "super") {
                    parent.pop();
                    next += 2;
                }
                leaves(tokens, next, &parent, &mut found);
            }
            ("checker", None) | ("runner", _) => {
                leaves(tokens, at + 2, &[], &mut found);
            }
            ("cudart_sim" | "grading" | "ptx_cases" | "ptxsim", _) => {
                let name = token.text.replace('_', "-");
                found.push(Use { segments: vec![name], line: token.line });
            }
            _ => {}
        }
    }
    found
}

/// Adds the paths that start with `prefix` and go on at `at`, each name of a group by itself;
/// returns the index behind them.
fn leaves(tokens: &[Token], at: usize, prefix: &[String], found: &mut Vec<Use>) -> usize {
    let Some(token) = tokens.get(at) else { return at };
    if token.text == "{" {
        let mut next = at + 1;
        while tokens.get(next).is_some_and(|token| token.text != "}") {
            next = match tokens[next].text.as_str() {
                "," => next + 1,
                _ => leaves(tokens, next, prefix, found),
            };
        }
        return next + 1;
    }
    let name = token.text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut path = prefix.to_vec();
    if name && token.text != "self" {
        path.push(token.text.clone());
    }
    match tokens.get(at + 1) {
        Some(next) if name && next.text == "::" => leaves(tokens, at + 2, &path, found),
        Some(next) if name && next.text == "as" => {
            found.push(Use { segments: path, line: token.line });
            at + 3
        }
        _ => {
            found.push(Use { segments: path, line: token.line });
            at + 1
        }
    }
}
