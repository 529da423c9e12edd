//! The forms in which a folder or a file can have a student's id as its name. With white space,
//! invisible characters or another form of Unicode, several different names look like one id.

use unicode_normalization::UnicodeNormalization as _;

use crate::fold::is_same_text;
use crate::text::{is_harmful, shown};

/// The id in a name: in one form of Unicode, without white space around it, and without invisible
/// characters. A name that has only such characters is its own id.
pub(super) fn id_in(name: &str) -> String {
    let visible: String = name.nfc().filter(|c| !is_harmful(*c)).collect();
    match visible.trim() {
        "" => shown(name.as_bytes()),
        id => shown(id.as_bytes()),
    }
}

/// How a name has an id, the most certain form first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum IdForm {
    /// Letter for letter.
    Exact,
    /// In another form of Unicode, as a Mac writes it.
    OtherUnicode,
    /// With other white space, with invisible characters, or in another case.
    Similar,
}

impl IdForm {
    /// The form in which `name` has one of these ids.
    pub(super) fn of<'a>(name: &str, ids: impl IntoIterator<Item = &'a str>) -> Self {
        let form = |id: &str| {
            if name == id {
                Self::Exact
            } else if is_same_text(name, id) {
                Self::OtherUnicode
            } else {
                Self::Similar
            }
        };
        ids.into_iter().map(form).min().unwrap_or(Self::Similar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that look the same are the same id, and the name that has it exactly is known.
    #[test]
    fn names_that_look_the_same_are_one_id() {
        for name in ["bob", "bob ", "\tbob\u{a0}", "b\u{200b}ob", "\u{202e}bob", "bob\n"] {
            assert_eq!(id_in(name), "bob", "{name:?}");
            let exact = IdForm::of(name, ["bob"]) == IdForm::Exact;
            assert_eq!(exact, name == "bob", "{name:?}");
        }
        assert_eq!(id_in("Zoe\u{308}"), "Zoë");
        assert_eq!(IdForm::of("Zoe\u{308}", ["ada", "Zoë"]), IdForm::OtherUnicode);
        assert_ne!(id_in(" "), "", "every student has an id");
    }
}
