//! Text that a learner may have written, made harmless for each reader.
//!
//! Everything in a record that comes from a submission (names of files, titles, notes, source, what a kernel printed)
//! and from a roster (names) is hostile. [`plain`] comes first, whatever the reader: it takes out what acts on
//! terminals and on the logs of CI systems. Serialisers (XML, JSON) then do their own escaping; where the text is
//! written by hand, a function here does.

/// The text, of several lines perhaps, without anything that acts.
///
/// * Control characters (ANSI sequences begin with one), bidirectional overrides, invisible characters and what XML forbids
///   become `�`. Line ends become `\n`; tabs stay, and so do the joiners that scripts need (U+200C, U+200D).
/// * A line cannot be a command of GitHub Actions (`::error::`, or `##[error]` anywhere in a line), Azure Pipelines
///   (`##vso[...]`) or TeamCity (`##teamcity[...]`): a space is put into the mark.
pub fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let shown: String = text.chars().map(|c| if acts(c) { '\u{fffd}' } else { c }).collect();
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

/// At most `most` characters; where some are left out, the last is `…`.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) if most == 0 => String::new(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// The data of a GitHub workflow command, of several lines perhaps (`escapeData` of `@actions/core`).
pub fn github_message(text: &str) -> String {
    plain(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a GitHub workflow command, one line (`escapeProperty` of `@actions/core`).
pub fn github_property(text: &str) -> String {
    github_message(&line(text)).replace(':', "%3A").replace(',', "%2C")
}

/// Text inside a line of GitHub's Markdown, not in a table. No markup, link, mention, reference or HTML comes out of it.
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

/// The description of a TAP test point: `\` and `#` are escaped as TAP 14 says. Parsers of earlier versions do not know
/// that and would find a directive, so one never stands right behind the `#`.
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

/// One line for a reader that takes it for sanitised HTML with marks of its own, as GitLab's merge request page does
/// (`generateText` in `vue_merge_request_widget`): no tag begins, and no `%{..._start}`.
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

/// A text in SARIF: `[name](target)` is a link there even in plain text (SARIF 2.1.0, 3.11.6), so the two parts are
/// kept apart.
pub fn sarif_text(text: &str) -> String {
    plain(text).replace("](", "] (")
}

/// A relative path as a URI reference: each byte outside RFC 3986's unreserved ones and `/` in percent encoding; no empty
/// part, no `.` and no `..`.
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

/// Whether GitHub would make a link, a mention, a reference or a formula of something in the text; inside code it does not.
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

/// Whether a character does something else than stand there.
const fn acts(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // What scripts need inside words, or emoji inside names.
        '\u{200c}' | '\u{200d}' => false,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        // Marks, embeddings, overrides and isolates of direction.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => {
            true
        }
        // Nothing to see, and two names that look the same.
        '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{feff}' => true,
        // Line ends for some readers and not for others.
        '\u{2028}' | '\u{2029}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        // No characters: XML 1.0 forbids the first two everywhere.
        '\u{fffe}' | '\u{ffff}' | '\u{fdd0}'..='\u{fdef}' => true,
        c => (c as u32) & 0xfffe == 0xfffe,
    }
}

/// Appends a line with a space inside every `##[` and `##word[`.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a terminal, a log or an XML parser acts on is seen and does nothing; names in scripts that need joiners stay
    /// what they are.
    #[test]
    fn text_does_nothing() {
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
        /// Escaping twice changes nothing more, no character is lost, and what is written can be read back.
        #[test]
        fn any_text(text in crate::formats::properties::text()) {
            let safe = plain(&text);
            prop_assert_eq!(plain(&safe), safe.clone());
            prop_assert!(!safe.chars().any(acts));
            prop_assert!(safe.chars().count() >= text.replace("\r\n", "\n").chars().count());
            prop_assert!(!line(&text).contains(['\n', '\t']));
            prop_assert_eq!(decoded(&github_property(&text)), line(&text));
            prop_assert!(!github_property(&text).contains([':', ',', '\n']));
            prop_assert!(!github_message(&text).contains('\n'));
            prop_assert_eq!(serde_json::from_str::<String>(&quoted(&text)).unwrap(), safe);
            prop_assert!(!quoted(&text).contains('\n'));
            prop_assert!(relative_uri(&text).bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)));
        }
    }
}
