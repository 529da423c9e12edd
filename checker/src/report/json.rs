//! Reports as JSON, for editors, graders and scripts.
//!
//! ```json
//! {"version": 1, "reports": [{"exercise": "guard", "slug": "out-of-bounds-write", "passed": false, ...}]}
//! ```
//!
//! The fields of a report are those of [`Report`], under the same names; `spans` are those of [`super::Span`]. Fields may
//! be added within a version; a field that is renamed, removed or given another meaning raises `version`.

use serde::Serialize;

use super::Report;

/// Raised when a field is renamed, removed, or means something else.
pub const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    reports: &'a [Report],
}

/// The reports as one JSON document on one line, without a final line end.
pub fn render(reports: &[Report]) -> String {
    let document = Document { version: VERSION, reports };
    // Strings, numbers and lists always serialise; a document that says so is still valid JSON.
    serde_json::to_string(&document).unwrap_or_else(|error| {
        serde_json::json!({"version": VERSION, "error": error.to_string()}).to_string()
    })
}
