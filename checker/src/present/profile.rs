//! The profile of one case, as `profile` and `check --profile` show it.

use super::context;
use crate::attempt::Options;
use crate::explain;
use crate::inspect::Profiled;
use crate::report::{profile, terminal};
use crate::session::Session;
use crate::spec::Spec;

/// Describes what a case of the learner's file cost.
pub fn profile(
    session: &Session,
    spec: &'static Spec,
    profiled: &Profiled,
    options: &Options,
) -> profile::Profile {
    let file = session.workbook.relative(&session.workbook.exercise(spec));
    let context = context(session, &file, &profiled.source, profiled.millis, options);
    explain::profile(spec, profiled, &context)
}

/// A profile as text for the terminal, without a line end behind it.
pub fn profile_text(profile: &profile::Profile, source: &str) -> String {
    profile::render(profile, source, terminal::full_width()).trim_end().to_owned()
}
