//! The instructor's text inside scripts and manifests.

/// `path` inside one of Slurm's names of log files, where `%` starts a pattern.
pub fn slurm_name(path: &str) -> String {
    path.replace('%', "%%")
}

/// `text` inside a container's command, where Kubernetes replaces `$(NAME)` by itself and reads
/// `$$` as `$`.
pub fn kubernetes(text: &str) -> String {
    text.replace('$', "$$")
}

/// Each line of `text` behind `spaces` spaces: a block of YAML.
pub fn indent(text: &str, spaces: usize) -> String {
    let pad = " ".repeat(spaces);
    let lines =
        text.lines().map(|line| if line.is_empty() { String::new() } else { pad.clone() + line });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether `text` may stand in a script's comment and in a block of YAML as it is: characters that
/// end a line or that YAML 1.1 or 1.2 counts as not printable may not.
pub fn is_one_line(text: &str) -> bool {
    !text.chars().any(|c| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    })
}

/// Whether `text` is a name as clusters and registries use them: nothing to quote, and no option.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_.,:/@+-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unquoted text in a block of YAML cannot end the block.
    #[test]
    fn lines_end_where_they_should() {
        for bad in ["a\nb", "a\rb", "\u{85}", "\u{2028}", "\0", "\u{1b}[2J", "\u{feff}"] {
            assert!(!is_one_line(bad), "{bad:?}");
        }
        assert!(is_one_line("Übung 1 'β' $(x) ${{ y }} # : - %j"));
        assert!(is_name("ghcr.io/uni/checker:1.0@sha256:ab") && !is_name("-p") && !is_name("a b"));
        assert_eq!(indent("a\n\n b\n", 2), "  a\n\n   b");
    }
}
