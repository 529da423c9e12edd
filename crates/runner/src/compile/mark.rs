//! Which characters of a source line a message marks.

use super::Message;

/// The column in characters of a byte offset, which the compiler's caret gives.
pub(super) fn column(text: &str, byte: usize) -> usize {
    text.char_indices().take_while(|(at, _)| *at < byte).count()
}

/// The byte of `source` for a byte of `quoted`, the same line after the preprocessor has replaced
/// its macros. Inside a replaced macro, it is the macro's first byte.
pub(super) fn unexpanded(quoted: &str, source: &str, byte: usize) -> usize {
    if quoted == source {
        return byte;
    }
    let same = |a: &[u8], b: &[u8]| a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (q, s) = (quoted.as_bytes(), source.as_bytes());
    let before = same(q, s);
    if byte < before {
        return byte;
    }
    let reversed = |text: &[u8]| text.iter().rev().copied().collect::<Vec<u8>>();
    let most = s.len().min(q.len()) - before.min(s.len()).min(q.len());
    let after = same(&reversed(q), &reversed(s)).min(most);
    let start = source.floor_char_boundary(before);
    let from_end = q.len().saturating_sub(byte);
    if from_end <= after {
        return source.floor_char_boundary(s.len().saturating_sub(from_end));
    }
    // The name of the macro begins where the word around the first difference begins.
    let word = |c: char| c.is_alphanumeric() || c == '_';
    start
        - source[..start].chars().rev().take_while(|c| word(*c)).map(char::len_utf8).sum::<usize>()
}

/// First character and length of the token at `column`: a name, a number, a string, an operator.
/// Behind the end of the line, where NVRTC points for an `#include` that does not exist, it is the
/// whole line.
pub(super) fn token(text: &str, column: usize) -> (usize, usize) {
    let chars: Vec<char> = text.chars().collect();
    let rest = chars.get(column..).unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let length = match rest {
        [] => {
            let indent = chars.iter().take_while(|c| c.is_whitespace()).count();
            return (indent, text.trim().chars().count().max(1));
        }
        [first, ..] if first.is_ascii_digit() => {
            rest.iter().take_while(|c| is_word(**c) || **c == '.').count()
        }
        [first, ..] if is_word(*first) => rest.iter().take_while(|c| is_word(**c)).count(),
        [quote @ ('"' | '\''), inside @ ..] => {
            let mut escaped = false;
            let end = inside.iter().position(|c| {
                let ends = c == quote && !escaped;
                escaped = *c == '\\' && !escaped;
                ends
            });
            end.map_or(1, |end| end + 2)
        }
        _ => {
            const OPERATORS: [&str; 22] = [
                "<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=",
                "/=", "%=", "&=", "|=", "^=", "<<", ">>", "->", "::",
            ];
            let starts =
                |operator: &&&str| operator.chars().eq(rest.iter().copied().take(operator.len()));
            OPERATORS.iter().find(starts).map_or(1, |operator| operator.len())
        }
    };
    (column, length.max(1))
}

/// What may stand before the type in a declaration.
const SPECIFIERS: [&str; 17] = [
    "extern",
    "\"C\"",
    "static",
    "inline",
    "const",
    "constexpr",
    "volatile",
    "typedef",
    "__global__",
    "__device__",
    "__host__",
    "__constant__",
    "__shared__",
    "__managed__",
    "__forceinline__",
    "__noinline__",
    "__inline__",
];

/// Whether the source defines a macro with this name. What a macro lacks is missing in its text.
fn is_macro(word: &str, source: &[&str]) -> bool {
    let defines = |line: &&str| {
        let text = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
        let name = text.trim_start().strip_prefix(word)?;
        Some(!name.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    !word.is_empty() && source.iter().any(|line| defines(line) == Some(true))
}

/// Moves the message about a missing semicolon to the place where it belongs, behind the preceding
/// code. The compiler reports it at the next statement, often some lines below.
pub(super) fn move_to_missing_semicolon(message: &mut Message, source: &[&str]) {
    let (Some(index), Some(column)) = (message.line.checked_sub(1), message.column.checked_sub(1))
    else {
        return;
    };
    let line = source.get(index as usize).copied().unwrap_or_default();
    let before: String = line.chars().take(column as usize).collect();
    let specifiers = before.split_whitespace().count();
    let only_specifiers = before.split_whitespace().all(|word| SPECIFIERS.contains(&word));
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let word: String = line.chars().skip(column as usize).take_while(is_word).collect();
    if message.text != "expected a \";\"" || !only_specifiers || is_macro(&word, source) {
        return;
    }
    let code = |line: &str| line.split("//").next().unwrap_or_default().trim_end().chars().count();
    let above =
        source.iter().take(index as usize).enumerate().rev().map(|(i, line)| (i, line, code(line)));
    if let Some((index, line, width)) = above.into_iter().find(|(_, _, width)| *width > 0)
        && !["/*", "*/", "#", "\""].iter().any(|unclear| line.contains(unclear))
        // after a structure, the next declaration's specifiers are taken for its variables'
        && (specifiers == 0 || line.chars().nth(width - 1) == Some('}'))
    {
        (message.line, message.column, message.length) = (to_u32(index + 1), to_u32(width), 1);
    }
}

pub(super) fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A caret under an expanded line is moved to the learner's line.
    #[test]
    fn carets_under_expanded_macros() {
        let source = "__global__ float add(const float* a) {";
        let quoted = "__attribute__((global)) float add(const float* a) {";
        let at = |word: &str| unexpanded(quoted, source, quoted.find(word).expect("there"));
        assert_eq!(source.get(at("float")..at("float") + 5), Some("float"));
        assert_eq!(source.get(at("add")..), Some("add(const float* a) {"));
        assert_eq!((at("__att"), at("global")), (0, 0));
        let (source, quoted) = ("  const int n = N + m;", "  const int n = 100; + m;");
        assert_eq!(unexpanded(quoted, source, quoted.find(';').expect("there")), 16);
        assert_eq!(unexpanded(quoted, source, quoted.find('m').expect("there")), 20);
        assert_eq!(unexpanded("same", "same", 2), 2);
        for byte in 0..12 {
            unexpanded("\u{e9}a\u{e9}", "\u{e9}bb", byte);
            unexpanded("", "\u{e9}", byte);
        }
    }

    /// Names, numbers, strings, operators and whole directives are marked.
    #[test]
    fn tokens() {
        assert_eq!(token("a <<= 2;", 2), (2, 3));
        assert_eq!(token("x = 1.5f;", 4), (4, 4));
        assert_eq!(token("f(\"a \\\" b\");", 2), (2, 8));
        assert_eq!(token("f(\"open", 2), (2, 1));
        assert_eq!(token("  done", 9), (2, 4));
        assert_eq!(token("", 0), (0, 1));
    }
}
