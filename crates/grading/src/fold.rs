//! Text as it is compared: names that look the same have one form.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// `text` in one form of Unicode (NFKC) and without its case. A Mac writes `ë` as two characters,
/// other systems write one.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let composed = text.nfkc();
    composed.flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect()
}

/// Whether two texts are the same when they are folded.
pub(crate) fn is_same_folded(one: &str, other: &str) -> bool {
    match one.is_ascii() && other.is_ascii() {
        true => one.eq_ignore_ascii_case(other),
        false => fold(one) == fold(other),
    }
}

/// Whether two ids are the same but for the form of Unicode.
pub(crate) fn is_same_text(one: &str, other: &str) -> bool {
    one == other || (!(one.is_ascii() && other.is_ascii()) && one.nfc().eq(other.nfc()))
}

/// Letters and digits, folded: `O'Neil, Ada` and `oneilada` are the same name.
pub(crate) fn letters(text: &str) -> String {
    fold(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The words of a text, folded, each between two spaces: ` zoë o neil 12 `.
pub(crate) fn words(text: &str) -> String {
    let folded = fold(text);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |all, word| all + word + " ")
}

/// The words of a name without accents and digits, for a question whether two names are the same:
/// `Müller` and `Mueller` are `muller`.
pub(crate) fn plain_words(name: &str) -> Vec<String> {
    let spelt = |c: char| match c {
        'ß' => 's',
        'ø' => 'o',
        'ł' => 'l',
        'đ' => 'd',
        'ı' => 'i',
        c => c,
    };
    let plain: String = fold(name).nfd().filter(|c| !is_combining_mark(*c)).map(spelt).collect();
    let words = plain.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty() && !word.chars().any(char::is_numeric));
    words
        .map(|word| {
            word.replace("ae", "a").replace("oe", "o").replace("ue", "u").replace("ss", "s")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both forms of Unicode, capitals and ligatures are one name; other letters are another.
    #[test]
    fn names_that_look_the_same() {
        assert_eq!(fold("Zoe\u{308} BRONTE\u{308}"), fold("zoë brontë"));
        assert_eq!(fold("STRASSE"), fold("Straße"));
        assert_eq!(letters("Nguye\u{302}\u{303}n, A\u{301}nh"), letters("nguyễnánh"));
        assert_ne!(fold("zoe"), fold("zoë"));
        assert_eq!(words("O'Neil, Zoë_12.cu"), " o neil zoë 12 cu ");
        assert_eq!(plain_words("3-2 - Zoë Mueller-Lüdenscheidt"), ["zo", "muller", "ludenscheidt"]);
        assert!(is_same_text("Zoe\u{308}", "Zoë") && !is_same_text("Zoë", "zoë"));
    }
}
