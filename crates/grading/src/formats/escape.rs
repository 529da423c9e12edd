//! Escapes of the report formats.
//!
//! [`crate::text::plain`] comes first, whatever the reader: names of files, titles, notes, source,
//! output of kernels and names on a roster are all hostile. Serialisers (XML, JSON) then escape by
//! themselves; text that is written by hand goes through a function here.

use crate::text::{line, plain};

/// The data of a GitHub workflow command, of several lines perhaps (`escapeData` of
/// `@actions/core`).
pub fn github_message(text: &str) -> String {
    plain(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a GitHub workflow command, one line (`escapeProperty` of `@actions/core`).
pub fn github_property(text: &str) -> String {
    github_message(&line(text)).replace(':', "%3A").replace(',', "%2C")
}

/// Text inside a line of GitHub's Markdown, not in a table. No markup, link, mention, reference or
/// HTML comes out of it.
pub fn markdown(text: &str) -> String {
    let text = line(text);
    if links(&text) { code_span(&text, "|") } else { prose(&text) }
}

/// The same inside a cell of a table, where even in code `|` ends a cell.
pub fn markdown_cell(text: &str) -> String {
    let text = line(text);
    if links(&text) { code_span(&text, "\\|") } else { prose(&text) }
}

/// A fenced block of plain text in Markdown, with its last line end.
pub fn markdown_block(text: &str) -> String {
    let text = plain(text);
    let fence = "`".repeat(longest_run(&text, '`').max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// The description of a TAP test point: `\` and `#` are escaped as TAP 14 says. Parsers of earlier
/// versions do not know that and would find a directive, so one never stands right behind the `#`.
pub fn tap_description(text: &str) -> String {
    let mut out = String::new();
    let text = line(text);
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\\' => out.push_str("\\\\"),
            '#' => {
                out.push_str("\\#");
                let word = rest.trim_start().get(..4).unwrap_or_default();
                if word.eq_ignore_ascii_case("skip") || word.eq_ignore_ascii_case("todo") {
                    out.push('.');
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// A string in double quotes that is both JSON and YAML, on one line.
pub fn quoted(text: &str) -> String {
    serde_json::Value::String(plain(text)).to_string()
}

/// One line for a reader that takes it for sanitised HTML with marks of its own, as GitLab's merge
/// request page does (`generateText` in `vue_merge_request_widget`): no tag begins, and no
/// `%{..._start}`.
pub fn without_tags(text: &str) -> String {
    let mut out = String::new();
    let text = line(text);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        let tag = |next: &char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?');
        let opens = match c {
            '<' => chars.peek().is_some_and(tag),
            '%' => chars.peek() == Some(&'{'),
            _ => false,
        };
        if opens {
            out.push(' ');
        }
    }
    out
}

/// A text in SARIF: `[name](target)` is a link there even in plain text (SARIF 2.1.0, 3.11.6), so
/// the two parts are kept apart.
pub fn sarif_text(text: &str) -> String {
    plain(text).replace("](", "] (")
}

/// A relative path as a URI reference: each byte outside RFC 3986's unreserved ones and `/` in
/// percent encoding; no empty part, no `.` and no `..`.
pub fn relative_uri(path: &str) -> String {
    let parts = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    let encoded: Vec<String> = parts.map(percent_encoded).collect();
    encoded.join("/")
}

fn percent_encoded(part: &str) -> String {
    let mut out = String::new();
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Whether GitHub would make a link, a mention, a reference or a formula of something in the text;
/// inside code it does not.
fn links(text: &str) -> bool {
    text.contains(['@', '#', '$'])
        || text.contains("://")
        || text.to_ascii_lowercase().contains("www.")
}

/// A code span around one line; `pipe` is what stands for `|`.
fn code_span(text: &str, pipe: &str) -> String {
    let fence = "`".repeat(longest_run(text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{}{pad}{fence}", text.replace('|', pipe))
}

/// One line with a backslash before whatever could be markup in the middle of a line.
fn prose(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '!' | '|' | '~' | '&' | ':')
        {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Parsers before TAP 14 do not know `\\#` and would count a failure as skipped.
    #[test]
    fn a_description_holds_no_directive() {
        assert_eq!(tap_description("a # SKIP b \\ c #todo #1"), r"a \#. SKIP b \\ c \#.todo \#1");
    }

    /// Code on GitHub's page is neither a link nor a mention, and prose stays prose.
    #[test]
    fn markdown_reads_well() {
        assert_eq!(
            markdown("thread 4 writes out[4], a_b <= 4"),
            r"thread 4 writes out\[4\], a\_b \<= 4"
        );
        assert_eq!(markdown("ada@example.org `x`"), "`` ada@example.org `x` ``");
        assert_eq!(markdown_cell("#1 | 2"), r"`#1 \| 2`");
        assert_eq!(markdown_block("```\nx\n"), "````text\n```\nx\n````\n");
        assert_eq!(without_tags("a < b <b> %{x}"), "a < b < b> % {x}");
        assert_eq!(relative_uri("/a b/../ü:.cu"), "a%20b/%C3%BC%3A.cu");
    }

    fn decoded(text: &str) -> String {
        text.replace("%0D", "\r")
            .replace("%0A", "\n")
            .replace("%3A", ":")
            .replace("%2C", ",")
            .replace("%25", "%")
    }

    proptest! {
        /// Escaped text can be read back, and is one line where the reader expects lines.
        #[test]
        fn any_text(text in crate::formats::properties::text()) {
            prop_assert_eq!(decoded(&github_property(&text)), line(&text));
            prop_assert!(!github_property(&text).contains([':', ',', '\n']));
            prop_assert!(!github_message(&text).contains('\n'));
            prop_assert_eq!(serde_json::from_str::<String>(&quoted(&text)).unwrap(), plain(&text));
            prop_assert!(!quoted(&text).contains('\n'));
            prop_assert!(relative_uri(&text).bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)));
        }
    }
}
