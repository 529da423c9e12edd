//! Errors of the command line, and the exit code that each error of a command stands for.

use crate::exit::Exit;
use crate::{attempt, exercises, workbook};

/// A mistake on the command line or in the course, as opposed to one of the environment.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// How a command that failed with this error ends the process.
pub fn exit(error: &anyhow::Error) -> Exit {
    let usage = error.is::<Usage>()
        || error.is::<exercises::Unknown>()
        || matches!(
            error.downcast_ref(),
            Some(
                attempt::Error::NoSuchCase { .. }
                    | attempt::Error::NoSuchThread { .. }
                    | attempt::Error::NoSuchLaunch { .. }
                    | attempt::Error::OneLaunch(_)
            )
        )
        || matches!(
            error.downcast_ref(),
            Some(workbook::Error::NotEmpty(_) | workbook::Error::NotAFolder(_))
        );
    if usage { Exit::Usage } else { Exit::Environment }
}
