//! Explains the compiler's first error, with help for slips (`slips`), and files that
//! never got compiled.

use super::scan::{Source, span};
use super::slips::{self, Help, Setting, Slip};
use super::words::{count, many};
use super::{Context, Draft, ON_PAGE};
use crate::compile::{Message, Severity};
use crate::report::Span;
use crate::spec::Spec;
use crate::text::sanitise;
use crate::verdict::Unreadable;

/// Explains the first error: the others often follow from it. But in `struct S { ... } extern "C"`,
/// the second one says what is missing.
pub fn explain(messages: &[Message], source: &Source<'_>, setting: Setting) -> Draft {
    let errors = || messages.iter().filter(|message| message.severity == Severity::Error);
    let Some(first) = errors().next().or(messages.first()) else {
        return Draft::new("the compiler rejected the file, but did not say why");
    };
    let end = source.end_before(first.line, first.column);
    let here = |m: &Message| m.line == first.line || end == Some((m.line, m.column));
    let semicolon = |m: &&Message| here(m) && m.text.starts_with("expected a \";\"");
    let follows = first.text.starts_with("linkage specification is not allowed");
    let first = errors().find(|m| follows && semicolon(m)).unwrap_or(first);
    let slip = Slip::new(first, source, setting);
    let help = slips::recognise(&slip).unwrap_or_else(|| general(&slip));
    let mut draft = Draft::new(help.title.unwrap_or_else(|| slip.sentence.to_owned()));
    draft.spans.extend(match help.place {
        Some((line, column, length)) => Some(span(line, column, length, true, help.label.clone())),
        None => mark(first, &help.label, source),
    });
    if draft.spans.is_empty() && !help.label.is_empty() {
        draft.notes.push(help.label);
    }
    if let Some(((line, column, length), label)) = help.also {
        draft.spans.push(span(line, column, length, false, label));
    }
    draft.notes.extend(help.notes);
    draft.think = help.think.map(str::to_owned);
    let more = errors().count().saturating_sub(1);
    if more > 0 {
        let (they, errors) =
            (if more == 1 { "it" } else { "they" }, many(more as u64, "more error", "more errors"));
        draft.notes.push(format!(
            "the compiler reports {errors}; fix this one first, because {they} may disappear with it"
        ));
    }
    draft
}

/// What is said about a message that no slip explains.
fn general(slip: &Slip<'_>) -> Help {
    if slip.says("no operator") {
        let types =
            slip.message.text.split_once("operand types are:").map(|(_, types)| types.trim());
        let help = Help::new("these types do not go together");
        return match types {
            Some(types) => help.note(format!("the types are: {types}")),
            None => help,
        };
    }
    Help::default()
}

/// The word that the compiler points at.
fn mark(message: &Message, label: &str, source: &Source<'_>) -> Option<Span> {
    let text = source.line(message.line)?;
    if message.column == 0 {
        let (column, length) = source.statement(message.line, 0)?;
        return Some(span(message.line, column, length, true, label));
    }
    let word = source.word(message.line, message.column).unwrap_or_default();
    let length = (word.chars().count() as u32).max(message.length);
    let room = (text.chars().count() as u32 + 1).saturating_sub(message.column);
    Some(span(message.line, message.column, length.min(room), true, label))
}

/// The compiler did not end.
pub fn stopped(how: &str) -> Draft {
    Draft::new(how)
        .note("a typical file compiles in a tenth of a second")
        .note("macros or templates that expand endlessly can keep the compiler busy forever")
        .think("which part of the file did you add last?")
}

/// The file cannot be used as source.
pub fn unreadable(why: &Unreadable, spec: &'static Spec, context: &Context<'_>) -> Draft {
    let file = context.file;
    let reset = match context.command {
        ON_PAGE => "to start again from the original, use the button Original".to_owned(),
        command => format!("to start again from the original: {command} reset {}", spec.id),
    };
    match why {
        Unreadable::Missing => Draft::new(format!("{file} does not exist")).note(reset),
        Unreadable::Empty => Draft::new(format!("{file} is empty"))
            .note("check that the editor saved it")
            .note(reset),
        Unreadable::Binary(line) => Draft::new(format!("{file} is not plain text (line {line})"))
            .note("save it as UTF-8 text, without NUL bytes")
            .note(reset),
        Unreadable::TooLarge(bytes, limit) => Draft::new(format!(
            "{file} has {} bytes; an exercise may have at most {}",
            count(*bytes),
            count(*limit)
        ))
        .note("check that it is the right file")
        .note(reset),
        Unreadable::Io(reason) => Draft::new(format!(
            "{file} cannot be read: {}",
            sanitise(reason)
        ))
        .note("check that it is a plain file, that it belongs to you, and that you may read it")
        .note(format!("or move it away; {reset}")),
    }
}
