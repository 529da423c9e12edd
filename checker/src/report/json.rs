//! Reports as JSON, for editors, graders and scripts.
//!
//! ```json
//! {"version": 1, "reports": [{"exercise": "guard", "slug": "out-of-bounds-write", "passed": false, ...}]}
//! ```
//!
//! The fields of a report are those of [`Report`], under the same names; `spans` are those of
//! [`super::Span`]. Fields may be added within a version. Renaming or removing a field, or giving
//! it another meaning, raises `version`.

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use super::Report;

/// Raised when a field is renamed or removed, or gets another meaning.
pub const VERSION: u32 = 1;

/// The reports as one JSON document on one line, without a line end.
pub fn render(reports: &[Report]) -> String {
    document(VERSION, "reports", &reports)
}

/// `{"version": VERSION, NAME: CONTENTS}` on one line, without a line end.
pub(super) fn document(version: u32, name: &'static str, contents: &impl Serialize) -> String {
    struct Document<'a, T> {
        version: u32,
        name: &'static str,
        contents: &'a T,
    }
    impl<T: Serialize> Serialize for Document<'_, T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(Some(2))?;
            map.serialize_entry("version", &self.version)?;
            map.serialize_entry(self.name, self.contents)?;
            map.end()
        }
    }
    // Strings, numbers and lists always serialise. If that ever fails, the answer is still a JSON
    // document.
    serde_json::to_string(&Document { version, name, contents }).unwrap_or_else(|error| {
        serde_json::json!({"version": version, "error": error.to_string()}).to_string()
    })
}
