//! Lines of submissions, sanitised and laid out in the columns of a terminal.

use unicode_width::UnicodeWidthChar;

use crate::text::plain;

/// Columns from one tab stop to the next.
const TAB_COLUMNS: usize = 4;
/// Most characters of a line that are shown.
const MAX_LINE_CHARS: usize = 400;

/// A line, or a name, without anything that acts ([`plain`]); tabs become spaces, and what is
/// longer than 400 characters ends in `…`.
pub(super) fn display_line(line: &str) -> String {
    let line = plain(&line.replace(['\n', '\r'], "\u{fffd}"));
    let mut out = String::with_capacity(line.len());
    let mut column = 0;
    for (i, c) in line.chars().enumerate() {
        if i == MAX_LINE_CHARS {
            out.push('…');
            break;
        }
        if c == '\t' {
            let spaces = TAB_COLUMNS - column % TAB_COLUMNS;
            out.extend(std::iter::repeat_n(' ', spaces));
            column += spaces;
        } else {
            column += columns(c);
            out.push(c);
        }
    }
    out
}

/// Columns of a character on a terminal.
fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// Columns of a clean text.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// A clean text in exactly `width` columns: filled with spaces, or cut, with `…` at its end.
pub(super) fn fit(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut used = 0;
    if width(text) <= most {
        out.push_str(text);
        used = width(text);
    } else {
        for c in text.chars() {
            if used + columns(c) + 1 > most {
                break;
            }
            used += columns(c);
            out.push(c);
        }
        if most > 0 {
            out.push('…');
            used += 1;
        }
    }
    out.extend(std::iter::repeat_n(' ', most.saturating_sub(used)));
    out
}

/// A clean name in at most `most` columns.
pub(super) fn name(text: &str, most: usize) -> String {
    fit(&display_line(text), most).trim_end().to_owned()
}

/// Escapes clean text for HTML, also inside attributes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A line cannot move the cursor, change its direction or hide.
    #[test]
    fn nothing_acts() {
        assert_eq!(display_line("a\u{1b}[2Jb\u{9b}31mc\r\u{202e}d\u{0}"), "a�[2Jb�31mc��d�");
        assert_eq!(display_line("\ta\tb"), "    a   b");
        assert_eq!(display_line(&"x".repeat(500)).chars().count(), MAX_LINE_CHARS + 1);
        assert_eq!(escape("<b a='1' c=\"2\">&"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;");
    }

    /// Wide characters count two columns, and combining ones none.
    #[test]
    fn fits() {
        assert_eq!(fit("abc", 5), "abc  ");
        assert_eq!(fit("abcdef", 5), "abcd…");
        assert_eq!(fit("数数数", 5), "数数…");
        assert_eq!(fit("数数数", 4), "数… ");
        assert_eq!(fit("abc", 0), "");
    }

    proptest! {
        /// Whatever a line holds, it takes exactly its columns.
        #[test]
        fn any_line(text in any::<String>(), most in 0_usize..60) {
            prop_assert_eq!(width(&fit(&display_line(&text), most)), most);
        }
    }
}
