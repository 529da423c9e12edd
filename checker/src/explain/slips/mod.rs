//! Recognises the common slips behind the compiler's messages, from the message and the learner's
//! source, and says how to fix each. A fix is named only where it is certain.

mod arguments;
mod conflict;
mod declarations;
mod expressions;
mod headers;
mod launches;
mod spaces;
mod syntax;

use super::outline::Function;
use super::scan::Source;
use crate::compile::Message;

/// What was compiled, which decides what is available and what the fix is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// A kernel exercise: device code without headers.
    Kernel,
    /// An exercise with host code.
    Program,
    /// A program of the learner's own, as `checker run` gets it.
    Run,
}

impl Setting {
    /// Whether it has host code.
    pub const fn has_host_code(self) -> bool {
        !matches!(self, Self::Kernel)
    }
}

/// What is said about a recognised slip.
#[derive(Debug, Default)]
pub struct Help {
    /// The label of the mark.
    pub label: String,
    /// Notes below the marks.
    pub notes: Vec<String>,
    /// Where the slip is, when that is not where the compiler noticed it.
    pub place: Option<(u32, u32, u32)>,
    /// A second place that belongs to it, with its label.
    pub also: Option<((u32, u32, u32), String)>,
    /// The question at the end of the report.
    pub think: Option<&'static str>,
    /// Replaces the compiler's sentence where that would mislead.
    pub title: Option<String>,
}

impl Help {
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub fn thinking(mut self, question: &'static str) -> Self {
        self.think = Some(question);
        self
    }

    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    pub fn at(mut self, place: Option<(u32, u32, u32)>) -> Self {
        self.place = place;
        self
    }

    pub fn also(mut self, place: Option<(u32, u32, u32)>, label: impl Into<String>) -> Self {
        self.also = place.map(|place| (place, label.into()));
        self
    }
}

/// A message of the compiler, with what the source says around it.
pub struct Slip<'a> {
    /// The compiler's message.
    pub message: &'a Message,
    /// Its sentence, without lists of types.
    pub sentence: &'a str,
    /// The word that the compiler points at.
    pub word: String,
    /// The learner's source.
    pub source: &'a Source<'a>,
    /// What was compiled.
    pub setting: Setting,
}

impl<'a> Slip<'a> {
    /// A message about `source`.
    pub fn new(message: &'a Message, source: &'a Source<'a>, setting: Setting) -> Self {
        let sentence = message.text.lines().next().unwrap_or_default();
        let cut = [" operand types are", " argument types are"];
        let sentence =
            cut.iter().fold(sentence, |text, mark| text.split(mark).next().unwrap_or(text));
        let word = source.word(message.line, message.column).unwrap_or_default();
        Self { message, sentence: sentence.trim().trim_end_matches(':'), word, source, setting }
    }

    /// Whether the compiler's sentence contains `text`.
    pub fn says(&self, text: &str) -> bool {
        self.sentence.contains(text)
    }

    /// The number-th text in double quotes, from 0.
    pub fn quoted(&self, number: usize) -> &'a str {
        self.message.text.split('"').nth(2 * number + 1).unwrap_or_default()
    }

    /// The text in the quotes that follow `mark`.
    pub fn quoted_after(&self, mark: &str) -> Option<&'a str> {
        self.message.text.split_once(mark)?.1.split('"').nth(1)
    }

    /// The types of the arguments of a call that fits no function.
    pub fn argument_types(&self) -> Vec<&'a str> {
        let list = self.message.text.split_once("argument types are: (").map(|(_, rest)| rest);
        let list = list.and_then(|rest| rest.rsplit_once(')')).map_or("", |(list, _)| list);
        list.split(", ").filter(|one| !one.is_empty()).collect()
    }

    /// The function around the message.
    pub fn function(&self) -> Option<Function> {
        self.source.function_around(self.message.line)
    }

    /// Whether the message is about code for the GPU.
    pub fn in_device_code(&self) -> bool {
        !self.setting.has_host_code() || self.function().is_some_and(|f| f.is_device())
    }

    /// The place of the first `word` on the message's line.
    pub fn place_of(&self, word: &str) -> Option<(u32, u32, u32)> {
        let line = self.message.line;
        let mut found = self.source.occurrences(word).into_iter();
        let (line, column) = found.find(|(at, _)| *at == line)?;
        Some((line, column, word.chars().count() as u32))
    }

    /// The code of the message's line, without comments and strings.
    pub fn code(&self) -> String {
        self.source.after(self.message.line, 1)
    }
}

/// The help for a message, if it is a slip that is recognised.
pub fn recognise(slip: &Slip<'_>) -> Option<Help> {
    conflict::recognise(slip)
        .or_else(|| headers::recognise(slip))
        .or_else(|| syntax::other_language(slip))
        .or_else(|| launches::recognise(slip))
        .or_else(|| declarations::recognise(slip))
        .or_else(|| spaces::recognise(slip))
        .or_else(|| arguments::recognise(slip))
        .or_else(|| expressions::recognise(slip))
        .or_else(|| syntax::recognise(slip))
}
