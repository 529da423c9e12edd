//! The book of this repository, built in this process: every marker can be filled in, and every
//! internal link has a target.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use checker::cli::{Cli, Command};
use clap::{CommandFactory, Parser};
use mdbook_driver::MDBook;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book")
}

fn built() -> (tempfile::TempDir, PathBuf) {
    let root = root();
    let pages = tempfile::tempdir().expect("a temporary folder");
    let mut book = MDBook::load(root).expect("the book loads");
    book.config.build.build_dir = pages.path().to_path_buf();
    book.with_preprocessor(checker_tools::book::Workbook::default());
    book.build().expect("the book builds");
    let folder = pages.path().to_path_buf();
    (pages, folder)
}

fn html_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the book") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            html_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "html") {
            found.push(path);
        }
    }
}

/// The values of the attribute `name` in `page`.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    page.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// `a/b/../c` -> `a/c`.
fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// No page has a raw marker, a dead link, or a link to a heading that was renamed.
#[test]
fn every_page_is_whole_and_every_link_leads_somewhere() {
    let (_keep, folder) = built();
    let mut files = Vec::new();
    html_files(&folder, &mut files);
    let pages: HashMap<PathBuf, String> = files
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a page");
            (path, text)
        })
        .collect();
    let ids: HashMap<&PathBuf, HashSet<&str>> = pages
        .iter()
        .map(|(path, text)| (path, attributes(text, "id").into_iter().collect()))
        .collect();
    let mut links = 0;
    for (path, text) in &pages {
        // The 404 page is served from any depth, so its links are relative to the site and not to
        // itself.
        if path.file_name().is_some_and(|name| name == "404.html") {
            continue;
        }
        assert!(!text.contains("{{#"), "{}: a marker is left", path.display());
        for link in attributes(text, "href").into_iter().chain(attributes(text, "src")) {
            if link.is_empty() || link.contains(':') || link.starts_with("//") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => tidy(&path.parent().expect("a folder").join(file)),
            };
            assert!(target.exists(), "{}: {link} leads nowhere", path.display());
            if let Some(ids) = ids.get(&target).filter(|_| !anchor.is_empty()) {
                assert!(ids.contains(anchor), "{}: {link} has no such heading", path.display());
            }
            links += 1;
        }
    }
    assert!(links > 300, "only {links} links: the test looks at the wrong thing");
}

/// The lesson of a chapter, which is all of its pages that belong to no exercise.
fn lessons(chapter: &Path) -> String {
    let mut pages = Vec::new();
    html_files(chapter, &mut pages);
    let stem = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    pages.retain(|page| checker::exercises::find(&stem(page).unwrap_or_default()).is_err());
    assert!(pages.contains(&chapter.join("lesson.html")), "{}: no lesson", chapter.display());
    pages.iter().map(|page| fs::read_to_string(page).expect("a page")).collect()
}

/// Every exercise and every diagnostic has a page with its facts.
#[test]
fn exercises_and_diagnostics_have_their_pages() {
    let (_keep, folder) = built();
    for spec in checker::exercises::all() {
        let path = folder.join(spec.chapter).join(format!("{}.html", spec.id));
        let page = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let page = page.replace('\u{a0}', " ");
        assert_eq!(page.matches("class=\"wb-hint").count(), spec.hints.len(), "{}", spec.id);
        for case in spec.cases {
            let parts = case.why.split('`').enumerate();
            let html = parts.map(|(at, part)| match at % 2 {
                0 => part.to_owned(),
                _ => format!("<code>{part}</code>"),
            });
            assert!(page.contains(&html.collect::<String>()), "{}: case {}", spec.id, case.name);
        }
        let section = spec.learn.split('"').nth(1).expect("learn names a section");
        // Pages have typographic apostrophes and no-break spaces, and sources have plain ones.
        let lessons = lessons(&folder.join(spec.chapter));
        let lessons = lessons.replace('\u{2019}', "'").replace('\u{a0}', " ");
        assert!(lessons.contains(section), "{}: no section {section}", spec.id);
        let address = checker::course::section(spec).expect("the address of the section");
        let (page, anchor) = address.split_once('#').expect("an anchor");
        let page = fs::read_to_string(folder.join(page)).expect("the page of the section");
        assert!(page.contains(&format!("id=\"{anchor}\"")), "{}: {address}", spec.id);
    }
    for slug in checker::diagnostic::Slug::ALL {
        assert!(folder.join("diagnostics").join(format!("{slug}.html")).exists(), "{slug}");
    }
}

/// The path and the text of every Markdown file below a folder.
fn markdown(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            markdown(&path, found);
        } else if path.extension().is_some_and(|e| e == "md") {
            let text = fs::read_to_string(&path).expect("a page");
            found.push((path, text));
        }
    }
}

/// The pages of the book, in the order of its table of contents.
fn pages() -> Vec<(String, String)> {
    let summary = fs::read_to_string(root().join("src/SUMMARY.md")).expect("a table of contents");
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let read = |name: &str| {
        fs::read_to_string(root().join("src").join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    links.map(|name| (name.to_owned(), read(name))).collect()
}

/// The words of a command line; single quotes group words.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(i, part)| match i % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// Why a command of the book does not work; `line` begins with `cargo checker` or `checker`.
fn refused(line: &str) -> Option<String> {
    let words = words(line.strip_prefix("cargo ").unwrap_or(line));
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => return Some(error.to_string()),
        // `--help` and `--version`
        Err(_) => return None,
    };
    let name = match &cli.command? {
        Command::Check(check) => check.what.clone()?,
        Command::Watch(watch) => watch.name.clone()?,
        Command::Profile(profile) => profile.name.clone(),
        Command::Trace(trace) => trace.name.clone(),
        Command::Hint(hint) => hint.name.clone()?,
        Command::Reset(reset) => reset.name.clone(),
        Command::Solution(solution) => solution.name.clone(),
        Command::Explain { slug } => {
            let slug = slug.as_deref()?;
            let known = checker::diagnostic::Slug::ALL.iter().any(|known| known.as_str() == slug);
            return (!known).then(|| format!("no diagnostic is called {slug}"));
        }
        _ => return None,
    };
    let known = checker::exercises::all().iter().any(|spec| {
        let chapter = spec.chapter.split('_').next().unwrap_or_default();
        let number = chapter.trim_start_matches("ch").trim_start_matches('0');
        [spec.id, spec.chapter, chapter, number].contains(&name.as_str())
    });
    (!known).then(|| format!("no exercise and no chapter is called {name}"))
}

/// The commands of a page: lines of fenced text, with or without a prompt, and code in a sentence
/// that begins with `cargo checker`.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fence = None;
    for line in page.lines() {
        let text = line.trim();
        if let Some(kind) = text.strip_prefix("```") {
            fence = fence.is_none().then(|| kind.to_owned());
            continue;
        }
        match fence.as_deref() {
            Some("text" | "console" | "sh" | "") => {
                let command = text.strip_prefix("$ ").unwrap_or(text);
                // The shell writes the output into a file.
                let command = command.split(" > ").next().unwrap_or(command);
                if command.starts_with("cargo checker") || command.starts_with("checker ") {
                    found.push(command.to_owned());
                }
            }
            Some(_) => {}
            None => {
                let code = text.split('`').skip(1).step_by(2);
                found.extend(code.filter(|c| c.starts_with("cargo checker")).map(str::to_owned));
            }
        }
    }
    found
}

/// Every command on a page, in an output and in an exercise's file exists.
#[test]
fn every_command_works_as_written() {
    let checker = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../checker");
    let mut texts = Vec::new();
    markdown(&root().join("src"), &mut texts);
    markdown(&checker.join("src/diagnostic/pages"), &mut texts);
    let mut all: Vec<(String, String)> = Vec::new();
    for (path, text) in &texts {
        all.extend(commands(text).into_iter().map(|c| (path.display().to_string(), c)));
    }
    for spec in checker::exercises::all() {
        let skeleton = checker::course::skeleton(spec).expect("a skeleton");
        let commands =
            skeleton.lines().filter_map(|line| line.split_once("// Run ")).map(|(_, c)| c);
        for part in commands.flat_map(|c| c.split("Stuck?")) {
            all.push((spec.id.to_owned(), part.trim().to_owned()));
        }
    }
    for folder in ["outputs", "outputs/diagnostics"] {
        for entry in fs::read_dir(root().join(folder)).expect("outputs") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|e| e == "txt") {
                let text = fs::read_to_string(&path).expect("an output");
                let first = text.lines().next().and_then(|line| line.strip_prefix("$ "));
                all.extend(first.map(|c| (path.display().to_string(), c.to_owned())));
            }
        }
    }
    assert!(all.len() > 100, "only {} commands: the test looks at the wrong thing", all.len());
    let wrong: Vec<String> = all
        .iter()
        .filter_map(|(page, command)| Some(format!("{page}: `{command}`: {}", refused(command)?)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The test above recognises wrong commands.
#[test]
fn wrong_commands_are_noticed() {
    assert_eq!(refused("cargo checker check blocks --case 'five blocks'"), None);
    assert_eq!(refused("checker check 1"), None);
    assert_eq!(refused("cargo checker"), None);
    for wrong in [
        "cargo checker chekc blocks",
        "cargo checker check no_such_exercise",
        "cargo checker watch blocks --hurry",
        "cargo checker explain no-such-thing",
        "cargo checker trace",
    ] {
        assert!(refused(wrong).is_some(), "{wrong}");
    }
    let page = "`cargo checker list` and `checker x`\n```text\n$ checker list\nother\n```\n```cpp\nchecker x\n```\n";
    assert_eq!(commands(page), ["cargo checker list", "checker list"]);
}

/// Code in a sentence that begins with `checker` names a command that exists.
#[test]
fn commands_in_sentences_exist() {
    let known: Vec<String> =
        Cli::command().get_subcommands().map(|c| c.get_name().to_owned()).collect();
    let mut texts = Vec::new();
    markdown(&root().join("src"), &mut texts);
    let mut seen = 0;
    for (path, text) in &texts {
        for code in text.split('`').skip(1).step_by(2) {
            let Some(rest) = code.strip_prefix("checker ") else { continue };
            let name = rest.split_whitespace().next().unwrap_or_default();
            let known = name.starts_with('-') || known.iter().any(|known| known == name);
            assert!(known, "{}: `{code}`", path.display());
            seen += 1;
        }
    }
    assert!(seen > 3, "only {seen}");
}

/// The prose of a page in lower case: without code, markers and headings, without links, which name
/// other pages, and without goals, which name terms of later pages.
fn prose(page: &str) -> String {
    let mut out = String::new();
    let (mut fenced, mut goals) = (false, false);
    for line in page.lines() {
        goals = (goals && !line.is_empty()) || line.starts_with("**After this chapter you can**");
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced
            && !goals
            && !line.trim_start().starts_with("{{#")
            && !line.starts_with('#')
        {
            let text: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
            let mut parts = text.split("](").peekable();
            let mut first = true;
            while let Some(part) = parts.next() {
                let after = if first { part } else { part.split_once(')').map_or("", |(_, a)| a) };
                let linked = parts.peek().and(after.rfind('['));
                out.push_str(&after[..linked.unwrap_or(after.len())]);
                first = false;
            }
            out.push('\n');
        }
    }
    // a term may be broken over two lines
    out.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The positions of `term` as a whole word or in the plural.
fn mentions(text: &str, term: &str) -> bool {
    text.match_indices(term).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + term.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric)
            && !after.is_some_and(|c| c.is_alphanumeric() && c != 's')
    })
}

/// In the order of the chapters, a term of the glossary occurs first on the page that introduces
/// it, in bold.
#[test]
fn no_term_is_used_before_it_is_introduced() {
    let glossary = fs::read_to_string(root().join("src/glossary.md")).expect("a glossary");
    // This is also an everyday word.
    const EVERYDAY: &[&str] = &["carry"];
    let terms: Vec<String> = glossary
        .lines()
        .filter_map(|line| Some(line.strip_prefix("**")?.split("**").next()?.to_lowercase()))
        .filter(|term| !EVERYDAY.contains(&term.as_str()))
        .collect();
    assert!(terms.len() > 30, "only {} terms", terms.len());
    let chapters: Vec<(String, String)> = pages()
        .into_iter()
        .filter(|(name, _)| name.starts_with("ch"))
        .map(|(name, text)| (name, prose(&text)))
        .collect();
    let before = pages().into_iter().filter(|(name, _)| !name.starts_with("ch"));
    let start: String = before.take(2).map(|(_, text)| prose(&text)).collect();
    let introduces =
        |text: &str, term: &str| text.split("**").skip(1).step_by(2).any(|b| b.contains(term));
    let mut late = Vec::new();
    for term in &terms {
        let Some((page, text)) = chapters.iter().find(|(_, text)| mentions(text, term)) else {
            continue;
        };
        if !introduces(text, term) && !introduces(&start, term) {
            late.push(format!("`{term}` is first used in {page}, and not introduced there"));
        }
    }
    assert!(late.is_empty(), "{}", late.join("\n"));
}

/// The page for printing has all pages, in order, and the search index covers each of them.
#[test]
fn the_printed_page_and_the_search_have_every_page() {
    let (_keep, folder) = built();
    let print = fs::read_to_string(folder.join("print.html")).expect("a page to print");
    let mut place = 0;
    for (name, text) in pages() {
        let title = text.lines().find_map(|line| line.strip_prefix("# ")).expect("a title");
        let title = title.replace('`', "").replace('&', "&amp;");
        let found = print[place..].find(&title).unwrap_or_else(|| panic!("{name} is not printed"));
        place += found;
    }
    let index = fs::read_dir(&folder)
        .expect("the pages")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("searchindex") && name.ends_with(".js")
        });
    let index = fs::read_to_string(index.expect("a search index")).expect("text");
    let mut missing = Vec::new();
    let slugs =
        checker::diagnostic::Slug::ALL.iter().map(|slug| format!("diagnostics/{slug}.html"));
    let names = pages().into_iter().map(|(name, _)| name.replace(".md", ".html"));
    for name in names.chain(slugs) {
        if !index.contains(&name) {
            missing.push(name);
        }
    }
    assert!(missing.is_empty(), "not searched: {missing:?}");
}

/// The output of each example shows its diagnostic, and the page has the example and the output.
#[test]
fn every_diagnostic_has_its_smallest_example() {
    let (_keep, folder) = built();
    for slug in checker::diagnostic::Slug::ALL {
        let page = folder.join("diagnostics").join(format!("{slug}.html"));
        let page = fs::read_to_string(page).expect("a page");
        assert!(page.contains("The smallest example"), "{slug}");
        let output = root().join("outputs/diagnostics").join(format!("{slug}.txt"));
        let output = fs::read_to_string(output).expect("an output");
        let named = output.contains(&format!("[{slug}]:"));
        let unnamed = ["passed", "not-started"].contains(&slug.as_str());
        assert!(named || unnamed, "{slug}: {output}");
    }
}
