//! Text that is safe to print, as the whole workspace makes it.

pub use reports::text::{excerpt, sanitise};
