//! Where programs are not run: everywhere but on Linux.

use super::{Error, PreparedCase};
use crate::backend::{Choice, Run};
use crate::engine::Engine;
use crate::spec::Spec;
use crate::verdict::Verdict;

/// There is none.
pub(crate) enum CompiledProgram {}

impl CompiledProgram {
    /// Refuses.
    pub(crate) fn new(
        _: &Spec,
        _: &str,
        _: bool,
        _: &mut Engine,
    ) -> Result<Result<Self, Verdict>, Error> {
        Err(Error::NoPrograms)
    }

    /// Never called.
    pub(crate) fn run(
        &self,
        _: Choice,
        _: &Spec,
        _: &PreparedCase,
        _: &mut Engine,
    ) -> Result<Run, Error> {
        match *self {}
    }
}
