//! Parses a compiler's log into messages about the learner's source.
//!
//! A message of NVRTC and nvcc is `path(line): error: text`, perhaps with more lines of text, then
//! the source line and a caret below it. A message of the host compiler is
//! `path:line:column: error: text`, and the lines after it begin with a line number.
//!
//! ```text
//! exercises/ch01_threads/guard.cu(8): error: no instance of overloaded function "over" matches the argument list
//!             argument types are: (const char [5])
//!       out[1] = over("text");
//!                ^
//! ```
//!
//! nvcc quotes lines after the preprocessor, in which `__global__` is `__attribute__((global))`, so
//! the caret is moved back to the learner's line.
//!
//! Of an exercise, only messages about the learner's own file are repeated word for word.
//! `#include "/etc/passwd"` makes the compiler quote that file, so a message about any other file is
//! replaced by a fixed sentence at the `#include`. A learner's own program may read every file
//! anyway, so its headers are quoted like the file itself ([`Included::Shown`]).

use std::path::Path;

use super::mark::{column, move_to_missing_semicolon, to_u32, token, unexpanded};
use super::{Message, Severity};

/// What is shown of messages about files that the source includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Included {
    /// A fixed sentence at the `#include`.
    Hidden,
    /// The message, with its file and line.
    Shown,
}

/// Messages that are kept. One missing brace can cause hundreds, of which only the first few help.
const MAX_MESSAGES: usize = 50;
/// Characters that are kept of one message, because the types of templates can be pages long.
const MAX_MESSAGE_CHARS: usize = 400;
/// NVRTC shows source lines and carets behind two spaces.
const INDENT: usize = 2;

/// The messages of `log` about `source`, whose name for the compiler was `file`. `headers` is
/// CUDA's include folder, the only place outside the learner's file whose messages may be quoted
/// unless `included` says otherwise.
pub(super) fn parse(
    log: &str,
    file: &str,
    source: &str,
    headers: Option<&Path>,
    included: Included,
) -> Vec<Message> {
    let lines: Vec<&str> = source.lines().collect();
    let (mut own, mut foreign, mut dropped) = (Vec::new(), Vec::new(), 0_usize);
    let mut last_is_own = false;
    for block in blocks(log) {
        let severity = match block.kind {
            Kind::Severity(severity) => severity,
            Kind::Note => {
                if let (true, Position::At(path, line, _)) = (last_is_own, block.position)
                    && path == file
                    && let Some(message) = own.last_mut()
                {
                    add_note(message, &block, line, &lines);
                }
                continue;
            }
        };
        last_is_own = false;
        match block.position {
            Position::At(path, line, _) if path == file => {
                if own.len() < MAX_MESSAGES {
                    own.push(block.message(severity, line, &lines));
                    last_is_own = true;
                } else {
                    dropped += 1;
                }
            }
            Position::At(path, line, _)
                if included == Included::Shown && !is_below(path, headers) =>
            {
                let text = std::fs::read_to_string(path).unwrap_or_default();
                let lines: Vec<&str> = text.lines().collect();
                let message = block.message(severity, line, &lines);
                if own.len() < MAX_MESSAGES {
                    own.push(Message { file: Some(path.to_owned()), ..message });
                    last_is_own = true;
                }
            }
            Position::At(path, ..) => {
                if severity == Severity::Error {
                    let in_assembly = error_in_assembly(&block, path, &lines);
                    let other = || error_in_included_file(&block, path, file, &lines, headers);
                    foreign.push(in_assembly.unwrap_or_else(other));
                }
            }
            Position::Unknown => {
                if own.len() < MAX_MESSAGES {
                    own.push(block.message(severity, 0, &lines));
                    last_is_own = true;
                } else {
                    dropped += 1;
                }
            }
        }
    }
    if !own.iter().any(|m| m.severity == Severity::Error) {
        own.extend(foreign.into_iter().next());
    }
    if dropped > 0 {
        // NVRTC itself stops after 100.
        let about = if log.contains("\nError limit reached.") { "at least " } else { "" };
        let text = format!("{about}{dropped} more messages are not shown; start with the first");
        own.push(Message {
            file: None,
            severity: Severity::Warning,
            line: 0,
            column: 0,
            length: 1,
            text,
        });
    }
    own
}

/// The first line that is not empty, without paths, for failures that are not about the source.
pub(super) fn first_line(log: &str) -> String {
    let line =
        log.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no reason given");
    shorten(without_folders(line))
}

/// The kind of a block of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Severity(Severity),
    /// A note about the preceding message.
    Note,
}

/// The file, line and, if the log gives it as a number, byte of the line that a block is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position<'a> {
    At(&'a str, u32, Option<u32>),
    /// "At end of source", or no position at all.
    Unknown,
}

/// One message of the log.
#[derive(Debug)]
struct Block<'a> {
    position: Position<'a>,
    kind: Kind,
    text: &'a str,
    /// The indented lines that follow.
    body: Vec<&'a str>,
}

fn blocks(log: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for line in log.lines() {
        if let Some(block) = head(line) {
            blocks.push(block);
            open = true;
        } else if line.starts_with([' ', '\t']) {
            if let (true, Some(block)) = (open, blocks.last_mut()) {
                block.body.push(line);
            }
        } else if !line.trim().is_empty() {
            open = false; // "3 errors detected in ...", "Compilation terminated."
        }
    }
    blocks
}

/// `path(line): error: text`, `path(line): warning #68-D: text`, `At end of source: error: text`,
/// `nvrtc: error: text`.
fn head(line: &str) -> Option<Block<'_>> {
    const KINDS: [(&str, Kind); 7] = [
        ("catastrophic error", Kind::Severity(Severity::Error)),
        ("fatal error", Kind::Severity(Severity::Error)),
        ("error", Kind::Severity(Severity::Error)),
        // The assembler writes it like this.
        ("Error", Kind::Severity(Severity::Error)),
        ("warning", Kind::Severity(Severity::Warning)),
        ("remark", Kind::Severity(Severity::Warning)),
        ("note", Kind::Note),
    ];
    if line.starts_with([' ', '\t']) {
        return None;
    }
    // The separator is the first ": " before a kind, because a path may contain ": ".
    line.match_indices(": ").find_map(|(at, separator)| {
        let (before, rest) = (line.get(..at)?, line.get(at + separator.len()..)?);
        KINDS.iter().find_map(|(word, kind)| {
            let text = after_number(rest.strip_prefix(word)?)?;
            Some(Block { position: position(before), kind: *kind, text, body: Vec::new() })
        })
    })
}

/// The text after `: ` or ` #68-D: `.
fn after_number(rest: &str) -> Option<&str> {
    if let Some(text) = rest.strip_prefix(": ") {
        return Some(text);
    }
    let (number, text) = rest.strip_prefix(" #")?.split_once(": ")?;
    number.trim_end_matches("-D").chars().all(|c| c.is_ascii_digit()).then_some(text)
}

fn position(text: &str) -> Position<'_> {
    if let Some((path, line)) = text.strip_suffix(')').and_then(|t| t.rsplit_once('('))
        && let Ok(line) = line.parse()
    {
        return Position::At(path, line, None);
    }
    // `a.cu:7:5`, `a.cu:7`
    let number = |text: &'_ str| text.rsplit_once(':').and_then(|(_, n)| n.parse::<u32>().ok());
    let Some(last) = number(text) else { return Position::Unknown };
    let before = text.rsplit_once(':').map_or("", |(before, _)| before);
    match (number(before), before.rsplit_once(':')) {
        (Some(line), Some((path, _))) => Position::At(path, line, Some(last)),
        _ => Position::At(before, last, None),
    }
}

/// Whether the host compiler quotes source on this line: `    7 |   float x;` or `      |   ^~~~~`.
fn is_quoted_source(line: &str) -> bool {
    let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    rest.trim_start().starts_with('|') && !rest.trim_start().starts_with("||")
}

impl Block<'_> {
    fn caret(&self) -> Option<usize> {
        self.body.iter().position(|line| line.trim() == "^")
    }

    fn message(&self, severity: Severity, line: u32, source: &[&str]) -> Message {
        let (column, length) = self.mark(line, source);
        let text = self.full_text();
        let mut message = Message { file: None, severity, line, column, length, text };
        move_to_missing_semicolon(&mut message, source);
        message
    }

    /// The sentence with its further lines, and with the place where a template was instantiated.
    fn full_text(&self) -> String {
        let mut text = self.text.trim().to_owned();
        let caret = self.caret();
        // The line above the caret is source.
        let more = self.body.get(..caret.map_or(self.body.len(), |at| at.saturating_sub(1)));
        for line in more.unwrap_or_default().iter().filter(|line| !is_quoted_source(line)) {
            text.push(' ');
            text.push_str(line.trim());
        }
        let context = caret.and_then(|at| self.body.get(at + 1..)).unwrap_or_default();
        if let Some(used) = context.iter().rev().find(|line| line.contains(" at line ")) {
            text.push_str(&format!(
                " (in the {})",
                used.trim().trim_start_matches("detected during ")
            ));
        }
        shorten(without_option_advice(&without_folders(&text)))
    }

    /// One-based column in characters and the number of marked characters; (0, 1) when the caret is
    /// missing.
    fn mark(&self, line: u32, source: &[&str]) -> (u32, u32) {
        let text = (line as usize).checked_sub(1).and_then(|index| source.get(index));
        let caret = self.caret().and_then(|at| self.body.get(at)).and_then(|line| line.find('^'));
        let byte = match self.position {
            Position::At(_, _, Some(byte)) => Some(byte.saturating_sub(1) as usize),
            _ => caret.map(|caret| caret.saturating_sub(INDENT)),
        };
        let (Some(text), Some(byte)) = (text, byte) else { return (0, 1) };
        let quoted = self.caret().and_then(|at| self.body.get(at.checked_sub(1)?));
        let byte = match (quoted.and_then(|line| line.get(INDENT..)), self.position) {
            (Some(quoted), Position::At(_, _, None)) => unexpanded(quoted, text, byte),
            _ => byte,
        };
        let column = column(text, byte);
        let (first, length) = token(text, column);
        (to_u32(first + 1), to_u32(length))
    }
}

/// Adds a note to the preceding message. `to match this "{"` says where the problem began, which an
/// error "at end of source" does not.
fn add_note(message: &mut Message, note: &Block, line: u32, source: &[&str]) {
    if !note.text.starts_with("to match this") {
        return; // The message is enough without notes like "function does not match because ...".
    }
    if message.line == 0 {
        (message.column, message.length) = note.mark(line, source);
        message.line = line;
        message.text = format!("{} {}", message.text, note.text.trim());
    } else {
        message.text = format!("{} {} on line {line}", message.text, note.text.trim());
    }
}

/// The message for an error in a file that the learner's file includes. The compiler's text is
/// repeated only for NVIDIA's headers.
fn error_in_included_file(
    block: &Block,
    path: &str,
    file: &str,
    source: &[&str],
    headers: Option<&Path>,
) -> Message {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let nvidia = is_below(path, headers);
    // `detected during ... at line 7 of "exercises/a.cu"` names the learner's line that uses the
    // header.
    let quoted = format!(" of \"{file}\"");
    let used = block.body.iter().rev().filter(|_| nvidia).find_map(|line| {
        let (before, _) = line.split_once(&quoted)?;
        before.rsplit(' ').next()?.parse::<u32>().ok()
    });
    let included = source.iter().position(|line| {
        let rest = line.trim_start().strip_prefix('#').map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with("include") && (nvidia || rest.contains(name)))
    });
    // `#line 1 "other.cu"` gives the learner's own lines the name of another file.
    let renamed =
        included.is_none().then(|| source.iter().position(|line| renames(line))).flatten();
    let line = used.or(included.or(renamed).map(|index| to_u32(index + 1))).unwrap_or(0);
    let marked = (line as usize).checked_sub(1).and_then(|index| source.get(index));
    let (column, length) = marked.map_or((0, 1), |text| {
        let (first, length) = token(text, usize::MAX);
        (to_u32(first + 1), to_u32(length))
    });
    let text = if nvidia {
        shorten(format!("in NVIDIA's header {name}: {}", block.text.trim()))
    } else if renamed.is_some() {
        "the lines after this #line do not compile; without it, messages can show them".to_owned()
    } else {
        "the included file does not compile; an exercise is one file and needs no #include"
            .to_owned()
    };
    Message { file: None, severity: Severity::Error, line, column, length, text }
}

/// What is said of a file that `asm` names and the assembler cannot read.
pub const UNREADABLE_BY_ASSEMBLER: &str =
    "the assembler cannot read the file that this asm names; an exercise is one file";

/// The message for an error of the assembler in the file that the compiler wrote for it. The
/// assembler's own text can contain the name of another file, so it is not repeated.
fn error_in_assembly(block: &Block, path: &str, source: &[&str]) -> Option<Message> {
    /// How the assembler begins to say that it cannot read a file.
    const UNREADABLE: [&str; 3] = ["file not found", "can't open", "unable to include"];
    if !path.ends_with(".s") {
        return None;
    }
    let unreadable = UNREADABLE.iter().any(|start| block.text.trim().starts_with(start));
    let with = |word: &str| source.iter().position(|line| line.contains(word));
    let directive = [".incbin", ".include"].iter().find_map(|word| with(word));
    let index = directive.filter(|_| unreadable).or_else(|| with("asm"))?;
    let (first, length) = token(source.get(index)?, usize::MAX);
    let text = match unreadable {
        true => UNREADABLE_BY_ASSEMBLER,
        false => "the assembler refuses the code of an asm in this file",
    };
    Some(Message {
        file: None,
        severity: Severity::Error,
        line: to_u32(index + 1),
        column: to_u32(first + 1),
        length: to_u32(length),
        text: text.to_owned(),
    })
}

/// Whether this line of a source changes the name or the number of the lines after it: `#line 7
/// "a.cu"`, or `# 7 "a.cu"` as preprocessors write it.
fn renames(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix('#').map(str::trim_start);
    rest.is_some_and(|rest| {
        rest.starts_with("line") || rest.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Whether this file is one of NVIDIA's headers.
fn is_below(path: &str, headers: Option<&Path>) -> bool {
    let plain = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let whole = plain(Path::new(path));
    let climbs = whole.components().any(|part| part == std::path::Component::ParentDir);
    !climbs && headers.is_some_and(|folder| whole.starts_with(plain(folder)))
}

/// Removes advice about compiler options and search paths, which learners do not set.
fn without_option_advice(text: &str) -> String {
    let text = text.split(" Consider using -default-device").next().unwrap_or(text);
    let text = text.strip_suffix(": Not a directory").unwrap_or(text);
    text.replace(" (no directories in search list)", "")
}

/// Replaces absolute paths with file names, so that reports do not reveal the folders of this
/// machine.
fn without_folders(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            out.push(' ');
        }
        // A quote or bracket before the path stays.
        let start = word.find('/').unwrap_or(0);
        let (before, path) = word.split_at(start);
        let absolute = path.starts_with('/')
            && path.matches('/').count() > 1
            && before.chars().all(|c| matches!(c, '"' | '\'' | '(' | '<'));
        match path.rsplit_once('/').filter(|_| absolute) {
            Some((_, name)) => out.extend([before, name]),
            None => out.push_str(word),
        }
    }
    out
}

fn shorten(text: String) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    if text.chars().nth(MAX_MESSAGE_CHARS).is_none() {
        return text.chars().map(plain).collect();
    }
    text.chars().take(MAX_MESSAGE_CHARS).map(plain).chain(" ...".chars()).collect()
}

#[cfg(test)]
#[path = "errors_tests.rs"]
mod tests;
