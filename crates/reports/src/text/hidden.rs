//! Characters of a source that its reader doesn't see.
//!
//! A compiler reads the characters of a file in their order. Characters that change the direction
//! of text make a reader see them in another order, and others are invisible or control a terminal
//! (Boucher and Anderson, "Trojan Source: Invisible Vulnerabilities", 2023).

use std::fmt;

use super::is_harmful;

/// A hidden character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenCharacter {
    /// One-based line.
    pub line: usize,
    /// The character.
    pub character: char,
}

/// `line 3 contains the character U+202E, which changes the direction of text`
impl fmt::Display for HiddenCharacter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.character {
            '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => "changes the direction of text",
            '\u{2028}' | '\u{2029}' => "ends a line in some programs only",
            character if character.is_control() => "controls a terminal",
            _ => "is invisible",
        };
        let Self { line, character } = self;
        let number = u32::from(*character);
        write!(f, "line {line} contains the character U+{number:04X}, which {what}")
    }
}

/// The hidden characters of a source, the first of each line. White space that only controls a
/// printer is not hidden, but a carriage return inside a line is, because a terminal writes what
/// follows over the line.
pub fn hidden_characters(source: &str) -> Vec<HiddenCharacter> {
    let is_hidden =
        |c: char| is_blank(c) || is_harmful(c) && !matches!(c, '\t' | '\r' | '\u{b}' | '\u{c}');
    let text = source.strip_prefix('\u{feff}').unwrap_or(source);
    let lines = (1..).zip(text.split('\n'));
    let first = |(line, text): (usize, &str)| {
        let text = text.strip_suffix('\r').unwrap_or(text);
        let character = text.chars().find(|&c| is_hidden(c) || c == '\r')?;
        Some(HiddenCharacter { line, character })
    };
    lines.filter_map(first).collect()
}

/// Letters and signs without a shape: those of Unicode's `Default_Ignorable_Code_Point` that no
/// emoji needs, and the empty Braille pattern.
const fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{ffa0}'
            | '\u{1d173}'..='\u{1d17a}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<String> {
        hidden_characters(source).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn letters_without_a_shape_are_hidden() {
        for blank in ['\u{3164}', '\u{115f}', '\u{2800}', '\u{34f}', '\u{1d173}'] {
            assert_eq!(found(&format!("int a{blank};")).len(), 1, "{blank:?}");
        }
        assert!(found("// \u{1f469}\u{200d}\u{1f4bb} \u{2764}\u{fe0f} é").is_empty());
    }

    #[test]
    fn each_line_is_named_with_its_first_hidden_character() {
        let source = "int a;\n// \u{202e}\u{2066} b\r\nchar* c = \"\u{200b}\";\n/* \u{1b}[2K */";
        assert_eq!(
            found(source),
            [
                "line 2 contains the character U+202E, which changes the direction of text",
                "line 3 contains the character U+200B, which is invisible",
                "line 4 contains the character U+001B, which controls a terminal",
            ]
        );
        assert_eq!(
            found("\u{2069}"),
            ["line 1 contains the character U+2069, which changes the direction of text"]
        );
    }

    #[test]
    fn a_carriage_return_inside_a_line_is_hidden() {
        assert_eq!(
            found("int a;\r\nint b;\r// nothing\r\n"),
            ["line 2 contains the character U+000D, which controls a terminal"]
        );
    }

    /// Ordinary text of any language, tabs, line ends of any system, a byte order mark, and joiners
    /// that scripts need.
    #[test]
    fn ordinary_text_hides_nothing() {
        let source = "\u{feff}int a;\r\n\t// größer, ایمان\u{200c}ها, שלום, 数 \u{1f469}\u{200d}\u{1f680}\n\u{c}";
        assert_eq!(found(source), [""; 0]);
    }
}
