//! From a learner's `.cu` to a module: NVRTC in a child process, errors parsed, results cached by content.

use serde::{Deserialize, Serialize};

/// A compiled kernel file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// The PTX text.
    pub ptx: String,
    /// Warnings, if any.
    pub warnings: Vec<Message>,
}

/// One message of the compiler, on the learner's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Error, warning or remark.
    pub severity: Severity,
    /// One-based line in the learner's file; 0 when the message has none.
    pub line: u32,
    /// One-based column of the first marked character; 0 when unknown.
    pub column: u32,
    /// Number of characters marked; at least 1.
    pub length: u32,
    /// The compiler's sentence: `identifier "threadId" is undefined`.
    pub text: String,
}

/// How bad a compiler message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    /// Stops the compilation.
    Error,
    /// Does not.
    Warning,
}

/// What compiling a learner's file came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// It compiled.
    Compiled(Module),
    /// It did not: the compiler's messages, in its order; never empty.
    Rejected(Vec<Message>),
    /// The compiler did not end, or fell over: what happened, in words.
    Stopped(String),
}
