//! Splits PTX text into tokens (PTX ISA, "Syntax"). A word includes its dots: `ld.global.f32` is
//! one token, and so is `%tid.x`.

use super::ParseError;

/// One token with the line that it starts on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Token<'a> {
    pub kind: Kind<'a>,
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind<'a> {
    /// Identifiers, opcodes, directives, registers.
    Word(&'a str),
    /// An integer literal, as its 64 bits.
    Int(u64),
    /// `0f3F800000`
    F32(u32),
    /// `0d3FF0000000000000`
    F64(u64),
    /// A quoted string, without the quotes.
    Text(&'a str),
    /// A single punctuation character.
    Punct(char),
}

/// Splits the whole text.
///
/// # Errors
/// An unterminated comment or string, a character that is not part of PTX, or a malformed number.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ParseError> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(text.len() / 4);
    let (mut at, mut line) = (0, 1);
    while let Some(&b) = bytes.get(at) {
        let start = at;
        match b {
            b'\n' => {
                line += 1;
                at += 1;
            }
            b' ' | b'\t' | b'\r' => at += 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = text[at..].find('\n').map_or(bytes.len(), |n| at + n);
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end = text[at + 2..]
                    .find("*/")
                    .ok_or_else(|| ParseError::new(line, "unterminated comment"))?;
                line += count_lines(&text[at..at + 2 + end]);
                at += end + 4;
            }
            b'"' => {
                let end = text[at + 1..]
                    .find('"')
                    .ok_or_else(|| ParseError::new(line, "unterminated string"))?;
                let body = &text[at + 1..at + 1 + end];
                out.push(Token { kind: Kind::Text(body), line });
                line += count_lines(body);
                at += end + 2;
            }
            b'0'..=b'9' => {
                at += number_length(&bytes[start..]);
                out.push(Token { kind: number(&text[start..at], line)?, line });
            }
            _ if is_word(b) => {
                while let Some(&b) = bytes.get(at) {
                    // `shared::cta` is one modifier
                    if b == b':' && bytes.get(at + 1) == Some(&b':') {
                        at += 2;
                    } else if b == b'.' && at > start && bytes[start] == b'.' {
                        // `.reg.b32` is two directives
                        break;
                    } else if is_word(b) {
                        at += 1;
                    } else {
                        break;
                    }
                }
                out.push(Token { kind: Kind::Word(&text[start..at]), line });
            }
            _ if b.is_ascii_punctuation() => {
                out.push(Token { kind: Kind::Punct(char::from(b)), line });
                at += 1;
            }
            _ => return Err(ParseError::new(line, format!("unexpected byte 0x{b:02x}"))),
        }
    }
    Ok(out)
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'%' | b'.')
}

fn count_lines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|b| *b == b'\n').count()).unwrap_or(u32::MAX)
}

/// The length of the number that starts here: `12U`, `0x1F`, `0f3F800000`, `1.5`, `2.5e-3`.
fn number_length(bytes: &[u8]) -> usize {
    let run = |from: usize, of: fn(&u8) -> bool| {
        bytes.get(from..).unwrap_or_default().iter().take_while(|b| of(b)).count()
    };
    let whole = run(0, u8::is_ascii_digit);
    let mut at = whole;
    if bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
        at += 1 + run(at + 1, u8::is_ascii_digit);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) && bytes[0] != b'0' || at > whole {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = run(at + 1 + sign, u8::is_ascii_digit);
        if matches!(bytes.get(at), Some(b'e' | b'E')) && exponent > 0 {
            return at + 1 + sign + exponent;
        }
    }
    at + run(at, u8::is_ascii_alphanumeric)
}

fn number(text: &str, line: u32) -> Result<Kind<'static>, ParseError> {
    // a decimal number is an `.f64`, which is narrowed where it is used as an `.f32`
    let bad = || ParseError::new(line, format!("malformed number `{text}`"));
    let lower = text.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0f") {
        return u32::from_str_radix(hex, 16).map(Kind::F32).map_err(|_| bad());
    }
    if let Some(hex) = lower.strip_prefix("0d") {
        return u64::from_str_radix(hex, 16).map(Kind::F64).map_err(|_| bad());
    }
    if text.contains('.') || text.contains(['e', 'E']) && !lower.starts_with("0x") {
        return text.parse().map(|x: f64| Kind::F64(x.to_bits())).map_err(|_| bad());
    }
    let digits = lower.strip_suffix('u').unwrap_or(&lower);
    let parsed = if let Some(hex) = digits.strip_prefix("0x") {
        u64::from_str_radix(hex, 16)
    } else if let Some(bin) = digits.strip_prefix("0b") {
        u64::from_str_radix(bin, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    parsed.map(Kind::Int).map_err(|_| bad())
}
