//! Text that may come from a learner's program, made safe to print.

/// Replaces what a terminal would obey with U+FFFD: control characters, escape sequences, and the marks that change the
/// direction of text. Tabs and line ends stay.
pub fn sanitise(text: &str) -> String {
    let harmful = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.replace("\r\n", "\n").chars().map(|c| if harmful(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel's output must not move the cursor, recolour the screen or reverse the text.
    #[test]
    fn escape_sequences_lose_their_power() {
        let hostile = "a\u{1b}[2J\u{7}\u{9b}1m\u{202e}b\tc\r\nd\re";
        let clean = sanitise(hostile);
        assert!(clean.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'), "{clean:?}");
        assert_eq!(clean.lines().count(), 2);
    }
}
