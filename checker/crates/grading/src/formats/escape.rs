//! Text that a learner may have written, made harmless for each reader.
//!
//! Everything in a record that comes from a submission (names of files, titles, notes, source, what a kernel printed) and from a
//! roster (names) is hostile. [`plain`] comes first, whatever the reader: it takes out what acts on terminals and on the logs of
//! CI systems. Serialisers (XML, JSON) then do their own escaping; where the text is written by hand, a function here does.

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
