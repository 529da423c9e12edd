//! Replaces `program.rs` on systems other than Linux, where host code cannot run.

use cudart_sim::runtime::TracedLaunch;

use super::{Error, PreparedCase, Purpose};
use crate::backend::{Choice, Run};
use crate::engine::Engine;
use crate::spec::Spec;
use crate::verdict::Verdict;

/// A compiled program, which does not exist on this system.
pub(crate) enum CompiledProgram {}

impl CompiledProgram {
    /// Returns [`Error::NoPrograms`].
    pub(crate) fn new(
        _: &Spec,
        _: &str,
        _: Purpose,
        _: &mut Engine,
    ) -> Result<Result<Self, Verdict>, Error> {
        Err(Error::NoPrograms)
    }

    /// Unreachable, because there are no values of this type.
    pub(crate) fn warnings(&self) -> &[crate::compile::Message] {
        match *self {}
    }

    /// Unreachable, because there are no values of this type.
    pub(crate) fn run(
        &mut self,
        _: Choice,
        _: &Spec,
        _: &PreparedCase,
        _: &mut Engine,
    ) -> Result<Run, Error> {
        match *self {}
    }

    /// Returns [`Error::NoPrograms`].
    pub(crate) fn trace(
        _: &Spec,
        _: &str,
        _: (&PreparedCase, &TracedLaunch),
        _: bool,
        _: &mut Engine,
    ) -> Result<Option<Run>, Error> {
        Err(Error::NoPrograms)
    }

    /// Unreachable, because there are no values of this type.
    pub(crate) fn end_gpu_process(&mut self) -> bool {
        match *self {}
    }

    /// Unreachable, because there are no values of this type.
    pub(crate) fn keep_gpu_process(self, _: &mut Engine) {
        match self {}
    }
}
