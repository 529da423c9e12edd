//! What is left to say when a program has ended.

use serde::{Deserialize, Serialize};

use crate::clock::Span;
use crate::runtime::Launched;

/// Everything that was seen of a program.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Report {
    /// Every launch that was performed, in that order.
    pub launches: Vec<Launched>,
    /// When what was done, on the simulated clock.
    pub timeline: Vec<Span>,
    /// Device memory that was never freed.
    pub leaks: Vec<Leak>,
    /// The error that ended the context, if one did: its name.
    pub lost: Option<String>,
}

/// An allocation that nobody freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leak {
    /// Its address.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
}
