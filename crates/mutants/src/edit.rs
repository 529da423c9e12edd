//! Edits of a text: each finds a piece that occurs exactly once and replaces it.

use std::ops::Range;

use serde::Deserialize;

/// One change of a text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The text that is replaced. It must occur exactly once in the base.
    pub find: String,
    /// The text that replaces it. If it is empty and only a comment would be left of the line, the
    /// whole line is deleted.
    pub replace: String,
}

/// Why edits cannot be applied to a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// There is no edit, so that the result would be the base itself.
    #[error("it has no edit")]
    NoEdit,
    /// An edit replaces a text by the same text.
    #[error("this edit changes nothing:\n{0}")]
    NoChange(String),
    /// The text to find is empty or white space.
    #[error("an edit has nothing to find")]
    NothingToFind,
    /// The text to find is not in the base.
    #[error("this text does not occur in the base:\n{find}")]
    Missing {
        /// The text.
        find: String,
    },
    /// The text to find is in the base several times.
    #[error("this text occurs more than once in the base:\n{find}")]
    Ambiguous {
        /// The text.
        find: String,
    },
    /// Two edits change the same characters.
    #[error("two edits overlap:\n{first}\nand\n{second}")]
    Overlap {
        /// What the edit that begins earlier finds.
        first: String,
        /// What the other one finds.
        second: String,
    },
}

/// Applies all `edits` to `base`.
///
/// Each edit is looked up in `base` itself, so their order makes no difference.
///
/// # Errors
/// When an edit does not apply exactly once, changes nothing, or overlaps another one.
pub fn apply(base: &str, edits: &[Edit]) -> Result<String, Problem> {
    if edits.is_empty() {
        return Err(Problem::NoEdit);
    }
    let mut places = Vec::with_capacity(edits.len());
    for edit in edits {
        places.push((place(base, edit)?, edit));
    }
    places.sort_by_key(|(range, _)| range.start);
    for pair in places.windows(2) {
        if let [(first, a), (second, b)] = pair
            && first.end > second.start
        {
            return Err(Problem::Overlap { first: a.find.clone(), second: b.find.clone() });
        }
    }
    let mut text = String::with_capacity(base.len());
    let mut copied = 0;
    for (range, edit) in places {
        text.push_str(base.get(copied..range.start).unwrap_or_default());
        text.push_str(&edit.replace);
        copied = range.end;
        if edit.replace.is_empty() && !edit.find.ends_with('\n') {
            copied = remove_empty_line(&mut text, base, copied);
        }
    }
    text.push_str(base.get(copied..).unwrap_or_default());
    Ok(text)
}

/// Where an edit applies in `base`, in bytes.
fn place(base: &str, edit: &Edit) -> Result<Range<usize>, Problem> {
    let find = edit.find.as_str();
    if find.trim().is_empty() {
        return Err(Problem::NothingToFind);
    }
    if find == edit.replace {
        return Err(Problem::NoChange(find.to_owned()));
    }
    let Some(start) = base.find(find) else {
        return Err(Problem::Missing { find: find.to_owned() });
    };
    // `rfind` also finds an occurrence that overlaps the first one
    if base.rfind(find) != Some(start) {
        return Err(Problem::Ambiguous { find: find.to_owned() });
    }
    Ok(start..start + find.len())
}

/// Deletes the line at the end of `text` if it is blank and only a comment follows it in `base`
/// after byte `copied`. Returns the byte of `base` at which copying continues.
fn remove_empty_line(text: &mut String, base: &str, copied: usize) -> usize {
    let line_start = text.rfind('\n').map_or(0, |newline| newline + 1);
    let before = text.get(line_start..).unwrap_or_default();
    let after = base.get(copied..).unwrap_or_default();
    let (rest_of_line, length) = match after.split_once('\n') {
        Some((line, _)) => (line, line.len() + 1),
        None => (after, after.len()),
    };
    let rest_of_line = rest_of_line.trim();
    if before.trim().is_empty() && (rest_of_line.is_empty() || rest_of_line.starts_with("//")) {
        text.truncate(line_start);
        copied + length
    } else {
        copied
    }
}
