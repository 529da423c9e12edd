//! Source positions: which place in the learner's own file the instructions after a `.loc` have.

use std::collections::HashMap;

use crate::Source;
use crate::parse::ast::{Function, Ptx, Statement};

/// The module's `.file` directives.
pub(in crate::decode) struct Files<'a>(HashMap<u32, &'a str>);

impl<'a> Files<'a> {
    pub fn new(ptx: &Ptx<'a>) -> Self {
        // of two with one number the first counts
        Self(ptx.files.iter().rev().copied().collect())
    }

    fn path(&self, file: u32) -> &'a str {
        self.0.get(&file).copied().unwrap_or_default()
    }
}

/// A source location, and where the function around it was called from, if that function was
/// inlined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::decode) struct Located {
    pub(super) source: Source,
    pub(super) caller: Option<Source>,
}

/// Resolves `.loc` lines to the learner's own file.
pub(super) struct Sources<'p, 'a> {
    files: &'p Files<'a>,
    /// The file that the function itself is in.
    home: u32,
    /// The resolved place of the `.loc` directly before, while a chain of them lasts.
    chain: Option<Located>,
}

impl<'p, 'a> Sources<'p, 'a> {
    pub(super) fn new(function: &Function<'a>, files: &'p Files<'a>) -> Self {
        let home = function
            .body
            .iter()
            .flatten()
            .find_map(|s| if let Statement::Location { file, .. } = s { Some(*file) } else { None })
            .unwrap_or(1);
        Self { files, home, chain: None }
    }

    /// Whether this file is a header of cooperative groups and not the function's own file.
    pub(super) fn cooperative(&self, file: u32) -> bool {
        file != self.home && self.files.path(file).contains("cooperative_groups")
    }

    pub(super) fn end_chain(&mut self) {
        self.chain = None;
    }

    /// The source location of a `.loc`: its own in the home file, else the one where it was
    /// inlined, else the frame before it in the chain. `None` keeps the previous location (line 0
    /// means "no line").
    pub(super) fn at(
        &mut self,
        file: u32,
        line: u32,
        column: u32,
        inlined_at: Option<(u32, u32, u32)>,
    ) -> Option<Located> {
        if line == 0 {
            return None;
        }
        let around = inlined_at.filter(|(f, l, _)| *f == self.home && *l > 0);
        let (place, caller) =
            if file == self.home { (Some((file, line, column)), around) } else { (around, None) };
        let named = |(file, line, column): (u32, u32, u32)| {
            let file = self.files.path(file).to_owned();
            Source { file, line, column }
        };
        if let Some(source) = place.map(named) {
            // the frame before may have recorded the caller of this one
            let before = self.chain.take().filter(|before| before.source == source);
            let caller = caller.map(named).or(before.and_then(|before| before.caller));
            self.chain = Some(Located { source, caller });
        }
        self.chain.clone()
    }
}
