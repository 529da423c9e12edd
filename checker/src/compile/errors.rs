//! A compiler's log as messages on the learner's source.
//!
//! A message of NVRTC and nvcc is `path(line): error: text`, perhaps with more lines of text, then the source line and a
//! caret below it. The host compiler's is `path:line:column: error: text`, and what follows begins with a line number.
//!
//! ```text
//! exercises/ch01_threads/guard.cu(8): error: no instance of overloaded function "over" matches the argument list
//!             argument types are: (const char [5])
//!       out[1] = over("text");
//!                ^
//! ```
//!
//! Only messages about the learner's own file are repeated word for word. `#include "/etc/passwd"` makes the compiler
//! quote that file, so a message about any other file becomes one sentence of ours at the `#include`.

use std::path::Path;

use super::mark::{back_to_the_gap, column, narrow, token};
use super::{Message, Severity};

/// Messages kept; a missing brace at the top can cause hundreds, and nobody reads beyond the first few.
const MOST_MESSAGES: usize = 50;
/// Characters kept of one message: template types can be pages long.
const MOST_TEXT: usize = 400;
/// NVRTC shows source lines and carets behind two spaces.
const INDENT: usize = 2;

/// The messages of `log` about `source`, which the compiler knew as `file`. `headers` is CUDA's own include folder:
/// the one place outside the learner's file whose messages may be quoted.
pub(super) fn parse(log: &str, file: &str, source: &str, headers: Option<&Path>) -> Vec<Message> {
    let lines: Vec<&str> = source.lines().collect();
    let (mut own, mut foreign, mut dropped) = (Vec::new(), Vec::new(), 0_usize);
    let mut last_is_own = false;
    for block in blocks(log) {
        let severity = match block.kind {
            Kind::Severity(severity) => severity,
            Kind::Note => {
                if let (true, Place::At(path, line, _)) = (last_is_own, block.place)
                    && path == file
                    && let Some(message) = own.last_mut()
                {
                    adopt(message, &block, line, &lines);
                }
                continue;
            }
        };
        last_is_own = false;
        match block.place {
            Place::At(path, line, _) if path == file => {
                if own.len() < MOST_MESSAGES {
                    own.push(block.message(severity, line, &lines));
                    last_is_own = true;
                } else {
                    dropped += 1;
                }
            }
            Place::At(path, ..) => {
                if severity == Severity::Error {
                    foreign.push(elsewhere(&block, path, file, &lines, headers));
                }
            }
            Place::Nowhere => {
                if own.len() < MOST_MESSAGES {
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
        own.push(Message { severity: Severity::Warning, line: 0, column: 0, length: 1, text });
    }
    own
}

/// The first line that says anything, without paths: for failures that are no messages about source.
pub(super) fn first_line(log: &str) -> String {
    let line =
        log.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no reason given");
    shorten(without_folders(line))
}

/// What a block of the log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Severity(Severity),
    /// Belongs to the message before it.
    Note,
}

/// Which line of which file a block is about, and which byte of it where the log says so in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place<'a> {
    At(&'a str, u32, Option<u32>),
    /// "At end of source", or no place at all.
    Nowhere,
}

/// One message as it stands in the log.
#[derive(Debug)]
struct Block<'a> {
    place: Place<'a>,
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

/// `path(line): error: text`, `path(line): warning #68-D: text`, `At end of source: error: text`, `nvrtc: error: text`.
fn head(line: &str) -> Option<Block<'_>> {
    const KINDS: [(&str, Kind); 7] = [
        ("catastrophic error", Kind::Severity(Severity::Error)),
        ("fatal error", Kind::Severity(Severity::Error)),
        ("error", Kind::Severity(Severity::Error)),
        // the assembler's
        ("Error", Kind::Severity(Severity::Error)),
        ("warning", Kind::Severity(Severity::Warning)),
        ("remark", Kind::Severity(Severity::Warning)),
        ("note", Kind::Note),
    ];
    if line.starts_with([' ', '\t']) {
        return None;
    }
    // The first ": " that a kind follows: a path may itself contain ": ".
    line.match_indices(": ").find_map(|(at, separator)| {
        let (before, rest) = (line.get(..at)?, line.get(at + separator.len()..)?);
        KINDS.iter().find_map(|(word, kind)| {
            let text = after_number(rest.strip_prefix(word)?)?;
            Some(Block { place: place(before), kind: *kind, text, body: Vec::new() })
        })
    })
}

/// The text behind `: ` or ` #68-D: `.
fn after_number(rest: &str) -> Option<&str> {
    if let Some(text) = rest.strip_prefix(": ") {
        return Some(text);
    }
    let (number, text) = rest.strip_prefix(" #")?.split_once(": ")?;
    number.trim_end_matches("-D").chars().all(|c| c.is_ascii_digit()).then_some(text)
}

fn place(text: &str) -> Place<'_> {
    if let Some((path, line)) = text.strip_suffix(')').and_then(|t| t.rsplit_once('('))
        && let Ok(line) = line.parse()
    {
        return Place::At(path, line, None);
    }
    // `a.cu:7:5`, `a.cu:7`
    let number = |text: &'_ str| text.rsplit_once(':').and_then(|(_, n)| n.parse::<u32>().ok());
    let Some(last) = number(text) else { return Place::Nowhere };
    let before = text.rsplit_once(':').map_or("", |(before, _)| before);
    match (number(before), before.rsplit_once(':')) {
        (Some(line), Some((path, _))) => Place::At(path, line, Some(last)),
        _ => Place::At(before, last, None),
    }
}

/// `    7 |   float x;` and `      |   ^~~~~`: how the host compiler shows source.
fn shown_source(line: &str) -> bool {
    let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    rest.trim_start().starts_with('|') && !rest.trim_start().starts_with("||")
}

impl Block<'_> {
    fn caret(&self) -> Option<usize> {
        self.body.iter().position(|line| line.trim() == "^")
    }

    fn message(&self, severity: Severity, line: u32, source: &[&str]) -> Message {
        let (column, length) = self.mark(line, source);
        let mut message = Message { severity, line, column, length, text: self.full_text() };
        back_to_the_gap(&mut message, source);
        message
    }

    /// The sentence with its further lines, and with where a template was used.
    fn full_text(&self) -> String {
        let mut text = self.text.trim().to_owned();
        let caret = self.caret();
        // The line above the caret is source.
        let more = self.body.get(..caret.map_or(self.body.len(), |at| at.saturating_sub(1)));
        for line in more.unwrap_or_default().iter().filter(|line| !shown_source(line)) {
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
        shorten(for_learners(&without_folders(&text)))
    }

    /// One-based column in characters, and how many are marked; (0, 1) when the caret is missing.
    fn mark(&self, line: u32, source: &[&str]) -> (u32, u32) {
        let text = (line as usize).checked_sub(1).and_then(|index| source.get(index));
        let caret = self.caret().and_then(|at| self.body.get(at)).and_then(|line| line.find('^'));
        let byte = match self.place {
            Place::At(_, _, Some(byte)) => Some(byte.saturating_sub(1) as usize),
            _ => caret.map(|caret| caret.saturating_sub(INDENT)),
        };
        let (Some(text), Some(byte)) = (text, byte) else { return (0, 1) };
        let column = column(text, byte);
        let (first, length) = token(text, column);
        (narrow(first + 1), narrow(length))
    }
}

/// A note about the message before it. `to match this "{"` says where the problem began, which is what a learner needs
/// of an error "at end of source".
fn adopt(message: &mut Message, note: &Block, line: u32, source: &[&str]) {
    if !note.text.starts_with("to match this") {
        return; // "function does not match because ...": the message itself says enough
    }
    if message.line == 0 {
        (message.column, message.length) = note.mark(line, source);
        message.line = line;
        message.text = format!("{} {}", message.text, note.text.trim());
    } else {
        message.text = format!("{} {} on line {line}", message.text, note.text.trim());
    }
}

/// An error in a file that the learner's file includes. Nothing of that file is repeated unless NVIDIA wrote it.
fn elsewhere(
    block: &Block,
    path: &str,
    file: &str,
    source: &[&str],
    headers: Option<&Path>,
) -> Message {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let nvidia =
        headers.is_some_and(|folder| Path::new(path).starts_with(folder)) && !path.contains("..");
    // `detected during ... at line 7 of "exercises/a.cu"`: the learner's line that used the header.
    let quoted = format!(" of \"{file}\"");
    let used = block.body.iter().rev().filter(|_| nvidia).find_map(|line| {
        let (before, _) = line.split_once(&quoted)?;
        before.rsplit(' ').next()?.parse::<u32>().ok()
    });
    let included = source.iter().position(|line| {
        let rest = line.trim_start().strip_prefix('#').map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with("include") && (nvidia || rest.contains(name)))
    });
    let line = used.or(included.map(|index| narrow(index + 1))).unwrap_or(0);
    let marked = (line as usize).checked_sub(1).and_then(|index| source.get(index));
    let (column, length) = marked.map_or((0, 1), |text| {
        let (first, length) = token(text, usize::MAX);
        (narrow(first + 1), narrow(length))
    });
    let text = if nvidia {
        shorten(format!("in NVIDIA's header {name}: {}", block.text.trim()))
    } else {
        "the included file does not compile; an exercise is one file and needs no #include"
            .to_owned()
    };
    Message { severity: Severity::Error, line, column, length, text }
}

/// Leaves out advice that only someone who types compiler options can follow.
fn for_learners(text: &str) -> String {
    let text = text.split(" Consider using -default-device").next().unwrap_or(text);
    let text = text.strip_suffix(": Not a directory").unwrap_or(text);
    text.replace(" (no directories in search list)", "")
}

/// Absolute paths become file names: where things lie on this machine is nobody's business.
fn without_folders(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            out.push(' ');
        }
        // The quote or bracket before a path, if any, stays.
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
    if text.chars().nth(MOST_TEXT).is_none() {
        return text.chars().map(plain).collect();
    }
    text.chars().take(MOST_TEXT).map(plain).chain(" ...".chars()).collect()
}

#[cfg(test)]
#[path = "errors_tests.rs"]
mod tests;
