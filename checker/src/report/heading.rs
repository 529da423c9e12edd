//! The lines at the top of a profile or a trace.

use colored::Colorize;

use super::terminal::hanging;
use crate::text::sanitise;

/// The title in bold, the case, and what is wrong with the case, laid out to `width` columns.
pub fn heading(title: &str, case: &str, wrong: Option<&str>, width: usize) -> String {
    let mut out = hanging(&format!("{title}: {}", sanitise(case)), "", "  ", width);
    if let Some(rest) = out.strip_prefix(title) {
        out = format!("{}{rest}", title.bold());
    }
    if let Some(wrong) = wrong {
        let label = "  not right yet:";
        let text = hanging(&format!("not right yet: {wrong}"), "  ", "    ", width);
        out.push_str(&match text.strip_prefix(label) {
            Some(rest) => format!("{}{rest}", label.red().bold()),
            None => text,
        });
    }
    out
}
