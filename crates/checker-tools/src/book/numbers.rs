//! Numbers that no line break divides: `16 384` and `35 %` get no-break spaces.

/// What follows a number and belongs to it.
const UNITS: [&str; 29] = [
    "%", "B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "kB/s", "KB/s", "MB/s",
    "GB/s", "TB/s", "GiB/s", "ns", "µs", "us", "ms", "s", "Hz", "MHz", "GHz", "W", "GFLOP/s",
    "TFLOP/s", "FLOP/B",
];
/// Elements whose text keeps its spaces.
const VERBATIM: [&str; 5] = ["pre", "code", "svg", "script", "style"];
const NO_BREAK_SPACE: char = '\u{a0}';

/// Markdown whose numbers stay on one line. Code, drawings and tags remain as they are.
pub fn unbroken(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut is_fenced = false;
    let mut element: Option<String> = None;
    for line in markdown.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            out.push_str(line);
        } else if is_fenced || line.starts_with("    ") {
            out.push_str(line);
        } else {
            text(line, &mut element, &mut out);
        }
    }
    out
}

/// A line outside of fenced code. `element` is the verbatim element that it begins in, and then the
/// one that it ends in.
fn text(line: &str, element: &mut Option<String>, out: &mut String) {
    let mut rest = line;
    while !rest.is_empty() {
        let start = rest.find(['`', '<']).unwrap_or(rest.len());
        let (before, from) = rest.split_at(start);
        if element.is_some() {
            out.push_str(before)
        } else {
            joined(before, out)
        }
        let length = match from.chars().next() {
            Some('`') if element.is_none() => code_span(from),
            Some('<') => tag(from, element),
            _ => from.len().min(1),
        };
        let (verbatim, after) = from.split_at(length);
        out.push_str(verbatim);
        rest = after;
    }
}

/// The length of the code span at the start of `from`, or that of its backticks if it doesn't end.
fn code_span(from: &str) -> usize {
    let ticks = from.len() - from.trim_start_matches('`').len();
    let inside = &from[ticks..];
    inside.find(&from[..ticks]).map_or(ticks, |end| 2 * ticks + end)
}

/// The length of the tag at the start of `from`; 1 if it is no tag. Keeps track of verbatim
/// elements.
fn tag(from: &str, element: &mut Option<String>) -> usize {
    let closing = from.starts_with("</");
    let name: String = from[1..]
        .trim_start_matches('/')
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect();
    let Some(end) = from.find('>').filter(|_| !name.is_empty()) else { return 1 };
    match element {
        Some(open) if closing && *open == name => *element = None,
        None if !closing && VERBATIM.contains(&name.as_str()) && !from[..end].ends_with('/') => {
            *element = Some(name);
        }
        _ => {}
    }
    end + 1
}

fn joined(text: &str, out: &mut String) {
    for (at, c) in text.char_indices() {
        let belongs = c == ' ' && belongs_together(&text[..at], &text[at + 1..]);
        out.push(if belongs { NO_BREAK_SPACE } else { c });
    }
}

/// Whether the space between `before` and `after` is inside a number or in front of its unit.
fn belongs_together(before: &str, after: &str) -> bool {
    let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 {
        return false;
    }
    let group = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if group > 0 {
        return group == 3 && digits <= 3;
    }
    let word = after.split([' ', '\n', ',', ';', '.', ':', ')', '*', '|', '<']).next();
    word.is_some_and(|word| UNITS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(markdown: &str) -> String {
        unbroken(markdown).replace(NO_BREAK_SPACE, "~")
    }

    #[test]
    fn numbers_and_their_units_stay_together() {
        assert_eq!(
            shown("n = 16 777 216 takes 2.5 ms, 35 % of 3 TB/s.\n"),
            "n = 16~777~216 takes 2.5~ms, 35~% of 3~TB/s.\n"
        );
        assert_eq!(shown("| 10 007 | **12 KiB** |"), "| 10~007 | **12~KiB** |");
        assert_eq!(
            shown("16 blocks of 2048 100 times, in chapter 3, page 12"),
            "16 blocks of 2048 100 times, in chapter 3, page 12"
        );
    }

    #[test]
    fn code_drawings_and_tags_keep_their_spaces() {
        for page in [
            "`1 024` and ``a ` 1 024``",
            "```text\n1 024\n```\n",
            "    1 024\n",
            "<a title=\"1 024\">",
            "<svg viewBox=\"0 0 10 100\"><text>1 024</text>\n1 024\n</svg>",
            "<pre><code>1 024\n2 048</code></pre>",
        ] {
            assert_eq!(shown(page), page);
        }
        assert_eq!(
            shown("<pre>1 024</pre> 1 024 < 2 048 <br/> 1 024"),
            "<pre>1 024</pre> 1~024 < 2~048 <br/> 1~024"
        );
        assert_eq!(shown("an open ` and 1 024"), "an open ` and 1~024");
    }
}
