//! Text made harmless for the people and programs that read it.
//!
//! | function | lines | harmful characters become | for |
//! | --- | --- | --- | --- |
//! | [`sanitise`] | kept | `\u{fffd}` | terminals: what learners wrote or printed |
//! | [`plain`] | kept | `\u{fffd}`, and marks of CI commands are broken | report formats |
//! | [`line`] | joined | as [`plain`] | report formats |
//! | [`shown`] | escaped | escapes such as `\u{202e}` | names and paths, which must stay distinguishable |
//! | [`excerpt`] | removed | nothing | one line of another program's output |

/// Longest name that [`shown`] returns uncut, in characters.
const MAX_NAME_CHARS: usize = 200;

/// Whether a character does something other than show itself: it moves a cursor, changes the
/// direction of text, is invisible, ends a line for some readers only, or is forbidden in XML. Line
/// ends and tabs are control characters, so they count.
///
/// The joiners U+200C and U+200D are invisible too, but scripts need them inside words and emoji
/// inside names; [`is_joiner`] decides about those.
pub const fn is_harmful(c: char) -> bool {
    match c {
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        // Marks, embeddings, overrides and isolates of direction.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => {
            true
        }
        // Invisible characters, with which two different names look the same.
        '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{feff}' => true,
        // Line ends for some readers and not for others.
        '\u{2028}' | '\u{2029}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        // Code points that are no characters; XML 1.0 forbids U+FFFE and U+FFFF everywhere.
        '\u{fdd0}'..='\u{fdef}' => true,
        c => (c as u32) & 0xfffe == 0xfffe,
    }
}

const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Text for a terminal: each harmful character and each joiner becomes `\u{fffd}`. Tabs and line
/// ends stay, and `\r\n` becomes `\n`.
pub fn sanitise(text: &str) -> String {
    replace_harmful(text, is_joiner)
}

/// Replaces what is harmful, and what `also` finds, except tabs and line ends.
fn replace_harmful(text: &str, also: fn(char) -> bool) -> String {
    let harmful = |c: char| (is_harmful(c) && c != '\n' && c != '\t') || also(c);
    text.replace("\r\n", "\n").chars().map(|c| if harmful(c) { '\u{fffd}' } else { c }).collect()
}

/// Text for a report, of several lines perhaps. Serialisers (XML, JSON) do their own escaping
/// afterwards.
///
/// * Each harmful character becomes `\u{fffd}`. Line ends become `\n`; tabs and joiners stay.
/// * No line is a command of GitHub Actions (`::error::`, or `##[error]` anywhere in a line), Azure
///   Pipelines (`##vso[...]`) or TeamCity (`##teamcity[...]`), because a space breaks the mark.
pub fn plain(text: &str) -> String {
    let shown = replace_harmful(text, |_| false);
    let mut out = String::with_capacity(shown.len());
    for (i, line) in shown.split('\n').enumerate() {
        if i > 0 {
            out.push('\n');
        }
        match line.trim_start().strip_prefix("::") {
            Some(rest) => {
                out.push_str(&line[..line.len() - rest.len() - 1]);
                out.push_str(" :");
                push_without_marks(&mut out, rest);
            }
            None => push_without_marks(&mut out, line),
        }
    }
    out
}

/// [`plain`] in one line: line ends and runs of white space become one space.
pub fn line(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    plain(&joined)
}

/// Appends a line, with a space inside every `##[` and `##word[`.
fn push_without_marks(out: &mut String, line: &str) {
    let mut rest = line;
    while let Some(at) = rest.find("##") {
        let (before, from) = rest.split_at(at + 1);
        out.push_str(before);
        let word = from[1..].trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        if word.starts_with('[') {
            out.push(' ');
        }
        rest = from;
    }
    out.push_str(rest);
}

/// A name or a path for people, in one line: harmful characters and joiners are escaped, bytes that
/// are not UTF-8 become `\xff`, and what is longer than 200 characters ends in `...`.
pub fn shown(name: &[u8]) -> String {
    let mut text = String::new();
    let mut left = MAX_NAME_CHARS;
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            if left == 0 {
                return text + "...";
            }
            left -= 1;
            if is_harmful(c) || is_joiner(c) {
                text.extend(c.escape_default());
            } else {
                text.push(c);
            }
        }
        for byte in chunk.invalid() {
            if left == 0 {
                return text + "...";
            }
            left -= 1;
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// One line of another program's output without its harmful characters, and at most `max_chars`
/// characters of it.
pub fn excerpt(line: &str, max_chars: usize) -> String {
    line.chars().filter(|&c| !is_harmful(c)).take(max_chars).collect()
}

/// At most `max_chars` characters; where some are left out, the last one is `…`.
pub fn cut(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some(_) if max_chars == 0 => String::new(),
        Some(_) => text.chars().take(max_chars - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a terminal, a log or an XML parser would act on is visible and has no effect, while
    /// names in scripts that need joiners stay as they are.
    #[test]
    fn text_has_no_effect() {
        assert_eq!(
            plain("\u{1b}[31mred\u{7}\r\nnext\rover\u{202e}\u{0}"),
            "�[31mred�\nnext�over��"
        );
        assert_eq!(
            plain("نمی\u{200c}خواهم, 👩\u{200d}🔬, Zoë\t|"),
            "نمی\u{200c}خواهم, 👩\u{200d}🔬, Zoë\t|"
        );
        assert_eq!(
            plain("::error::x\n  ::add-mask::y\nstd::sort"),
            ": :error::x\n  : :add-mask::y\nstd::sort"
        );
        assert_eq!(
            plain("a ##[error]b ##vso[x] ###[y] a##b[0] a ## b"),
            "a # #[error]b # #vso[x] ## #[y] a# #b[0] a ## b"
        );
        assert_eq!(line(" a\n\tb\u{2028}c "), "a b c");
        assert_eq!(cut("héllo", 3), "hé…");
        assert_eq!(cut("héllo", 5), "héllo");
    }

    /// A kernel's output must not move the cursor, recolour the screen or reverse the text.
    #[test]
    fn escape_sequences_lose_their_power() {
        let hostile = "a\u{1b}[2J\u{7}\u{9b}1m\u{202e}b\u{200d}\tc\r\nd\re";
        assert_eq!(sanitise(hostile), "a�[2J��1m�b�\tc\nd�e");
        assert_eq!(excerpt("a \u{1b}[31mnew\u{7} failure\n", 12), "a [31mnew fa");
    }

    /// A name cannot start a new line, colour a terminal, or look like another.
    #[test]
    fn names_are_shown_in_one_harmless_line() {
        assert_eq!(shown("Zoë O'Neil".as_bytes()), "Zoë O'Neil");
        assert_eq!(shown(b"a\nb\x1b[31m"), "a\\nb\\u{1b}[31m");
        assert_eq!(shown("cu.\u{202e}exe".as_bytes()), "cu.\\u{202e}exe");
        assert_eq!(shown(b"caf\xe9"), "caf\\xe9");
        assert_eq!(shown(&[b'x'; 500]).len(), MAX_NAME_CHARS + 3);
        assert_eq!(shown(&[0xff; 500]).len(), MAX_NAME_CHARS * 4 + 3);
    }

    /// Text of any characters, and of those that attacks are made of.
    fn hostile_text() -> impl Strategy<Value = String> {
        let harmful = proptest::sample::select(vec![
            "\u{1b}[31m",
            "\u{202e}",
            "\u{9b}",
            "\0",
            "\r\n",
            "\r",
            "\n",
            "\t",
            "\\",
            "`",
            "<",
            ">",
            "&",
        ]);
        let piece = prop_oneof![
            harmful.prop_map(str::to_owned),
            any::<char>().prop_map(String::from),
            "[a-z ]{0,8}",
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        /// Sanitising twice changes nothing more, and no variant lets a harmful character through.
        #[test]
        fn any_text(text in hostile_text(), most in 0_usize..50) {
            for variant in [sanitise, plain, line] {
                let safe = variant(&text);
                prop_assert_eq!(variant(&safe), safe.clone());
                prop_assert!(!safe.chars().any(|c| is_harmful(c) && c != '\n' && c != '\t'));
            }
            prop_assert!(plain(&text).chars().count() >= text.replace("\r\n", "\n").chars().count());
            prop_assert_eq!(sanitise(&text).chars().count(), text.replace("\r\n", "\n").chars().count());
            prop_assert!(!line(&text).contains(['\n', '\t']));
            prop_assert!(!shown(text.as_bytes()).contains(is_harmful));
            prop_assert!(!excerpt(&text, most).contains(is_harmful));
            prop_assert!(excerpt(&text, most).chars().count() <= most);
            prop_assert!(cut(&text, most).chars().count() <= most);
        }

        /// Names that differ stay different, as long as they are not cut and contain no backslash
        /// themselves.
        #[test]
        fn names_stay_apart(a in "[^\\\\]{0,40}", b in "[^\\\\]{0,40}") {
            prop_assert_eq!(a == b, shown(a.as_bytes()) == shown(b.as_bytes()));
        }
    }
}
