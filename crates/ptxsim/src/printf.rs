//! Device `printf`: the format string and the packed arguments of a `vprintf` call, made into text.
//!
//! CUDA C++ Programming Guide, "Formatted Output": flags, width, precision and the conversions of
//! C; at most 32 arguments beside the format string; an argument that is missing prints nothing.
//! The compiler packs the arguments into a buffer, each at its natural alignment: 4 bytes for `int`
//! and what promotes to it, 8 for `long long`, `double` and pointers.

use std::fmt::Write;

/// The most arguments that CUDA allows beside the format string. Further conversions are printed as
/// written.
const ARGUMENTS: u32 = 32;

/// The greatest field width and precision. The limit keeps a format from using up memory.
const MAX_FIELD_WIDTH: usize = 4096;

/// Reads the string that a `%s` argument points at: a device address to its bytes, without the
/// final zero.
pub type ReadString<'a> = dyn Fn(u64) -> Option<Vec<u8>> + 'a;

/// Formats as the device does. `format` ends at its first zero byte or its end. Text that is not
/// UTF-8 is replaced character by character; addresses that cannot be read print as `(null)`. Also
/// returns how many arguments the format has, which is what the device's `printf` returns.
pub fn format(format: &[u8], arguments: &[u8], string: &ReadString<'_>) -> (String, u32) {
    let end = format.iter().position(|&b| b == 0).unwrap_or(format.len());
    let mut input = format.get(..end).unwrap_or_default();
    let mut buffer = Arguments { bytes: arguments, at: 0, left: ARGUMENTS };
    let mut out = Vec::new();
    while let Some((&first, rest)) = input.split_first() {
        if first != b'%' {
            out.push(first);
            input = rest;
            continue;
        }
        let (conversion, after) = Conversion::parse(rest, &mut buffer);
        match conversion.and_then(|c| c.print(&mut buffer, string)) {
            Some(text) => out.extend(text),
            None => out.extend(input.get(..input.len() - after.len()).unwrap_or_default()),
        }
        input = after;
    }
    (String::from_utf8_lossy(&out).into_owned(), ARGUMENTS - buffer.left)
}

/// The packed arguments, read from the front.
struct Arguments<'a> {
    bytes: &'a [u8],
    at: usize,
    left: u32,
}

impl Arguments<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.left = self.left.checked_sub(1)?;
        let start = self.at.next_multiple_of(N);
        let bytes = self.bytes.get(start..start + N)?.try_into().ok()?;
        self.at = start + N;
        Some(bytes)
    }

    fn int(&mut self) -> Option<i32> {
        self.take().map(i32::from_le_bytes)
    }

    fn wide(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn double(&mut self) -> Option<f64> {
        self.wide().map(f64::from_bits)
    }
}

/// How wide an integer argument is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    Char,
    Short,
    Int,
    Long,
}

/// One `%` directive.
struct Conversion {
    minus: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    length: Length,
    kind: u8,
}

impl Conversion {
    /// Parses the text after `%`. Returns the directive and the rest; `None` where there is no
    /// conversion character. A `*` takes its argument here.
    fn parse<'a>(input: &'a [u8], arguments: &mut Arguments<'_>) -> (Option<Self>, &'a [u8]) {
        let mut this = Self {
            minus: false,
            plus: false,
            space: false,
            alternate: false,
            zero: false,
            width: 0,
            precision: None,
            length: Length::Int,
            kind: 0,
        };
        let mut rest = input;
        while let Some((&flag, after)) = rest.split_first() {
            match flag {
                b'-' => this.minus = true,
                b'+' => this.plus = true,
                b' ' => this.space = true,
                b'#' => this.alternate = true,
                b'0' => this.zero = true,
                _ => break,
            }
            rest = after;
        }
        let (width, after) = number(rest, arguments);
        this.minus |= width.is_some_and(|w| w < 0);
        this.width = clamped(width.unwrap_or(0).unsigned_abs());
        rest = after;
        if let Some(after) = rest.strip_prefix(b".") {
            let (precision, after) = number(after, arguments);
            // A negative precision counts as none; a bare dot as zero.
            this.precision = u64::try_from(precision.unwrap_or(0)).ok().map(clamped);
            rest = after;
        }
        for (letters, length) in [
            (&b"hh"[..], Length::Char),
            (b"h", Length::Short),
            (b"ll", Length::Long),
            (b"l", Length::Long), // `long` has 64 bits on the device, as on a 64-bit host
            (b"z", Length::Long),
            (b"j", Length::Long),
            (b"t", Length::Long),
        ] {
            if let Some(after) = rest.strip_prefix(letters) {
                (this.length, rest) = (length, after);
                break;
            }
        }
        match rest.split_first() {
            Some((&kind, after)) => {
                this.kind = kind;
                (Some(this), after)
            }
            None => (None, rest),
        }
    }

    /// The directive's text, or `None` where it is unknown or its argument is missing.
    fn print(&self, arguments: &mut Arguments<'_>, string: &ReadString<'_>) -> Option<Vec<u8>> {
        Some(match self.kind {
            b'%' => b"%".to_vec(),
            b'd' | b'i' => {
                let value = self.signed(arguments)?;
                self.integer(self.sign(value < 0), value.unsigned_abs().to_string())
            }
            b'u' | b'x' | b'X' | b'o' => self.unsigned(self.bits(arguments)?),
            b'c' => self.padded(vec![arguments.int()? as u8]),
            b's' => {
                let mut text = string(arguments.wide()?).unwrap_or_else(|| b"(null)".to_vec());
                text.truncate(self.precision.unwrap_or(text.len()));
                self.padded(text)
            }
            b'p' => match arguments.wide()? {
                0 => self.padded(b"(nil)".to_vec()),
                address => self.padded(format!("{address:#x}").into_bytes()),
            },
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                self.float(arguments.double()?)
            }
            _ => return None,
        })
    }

    fn signed(&self, arguments: &mut Arguments<'_>) -> Option<i64> {
        Some(match self.length {
            Length::Long => arguments.wide()? as i64,
            Length::Int => i64::from(arguments.int()?),
            Length::Short => i64::from(arguments.int()? as i16),
            Length::Char => i64::from(arguments.int()? as i8),
        })
    }

    fn bits(&self, arguments: &mut Arguments<'_>) -> Option<u64> {
        Some(match self.length {
            Length::Long => arguments.wide()?,
            Length::Int => u64::from(arguments.int()? as u32),
            Length::Short => u64::from(arguments.int()? as u16),
            Length::Char => u64::from(arguments.int()? as u8),
        })
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    fn unsigned(&self, value: u64) -> Vec<u8> {
        let marked = self.alternate && value != 0;
        match self.kind {
            b'x' => self.integer(if marked { "0x" } else { "" }, format!("{value:x}")),
            b'X' => self.integer(if marked { "0X" } else { "" }, format!("{value:X}")),
            b'o' => {
                let digits = format!("{value:o}");
                let short = self.precision.unwrap_or(1) <= digits.len();
                self.integer(if marked && short { "0" } else { "" }, digits)
            }
            _ => self.integer("", value.to_string()),
        }
    }

    /// Digits filled up to the precision; zero with precision zero prints no digit.
    fn integer(&self, prefix: &str, digits: String) -> Vec<u8> {
        let digits =
            if digits == "0" && self.precision == Some(0) { String::new() } else { digits };
        let least = self.precision.unwrap_or(1);
        let filled = format!("{}{digits}", "0".repeat(least.saturating_sub(digits.len())));
        self.fielded(prefix, &filled, self.zero && self.precision.is_none())
    }

    /// Sign or prefix and digits in the field's width.
    fn fielded(&self, prefix: &str, digits: &str, zeros: bool) -> Vec<u8> {
        let space = self.width.saturating_sub(prefix.len() + digits.len());
        if zeros && !self.minus {
            return format!("{prefix}{}{digits}", "0".repeat(space)).into_bytes();
        }
        self.padded(format!("{prefix}{digits}").into_bytes())
    }

    fn padded(&self, mut text: Vec<u8>) -> Vec<u8> {
        let space = self.width.saturating_sub(text.len());
        if self.minus {
            text.extend(std::iter::repeat_n(b' ', space));
            return text;
        }
        let mut out = vec![b' '; space];
        out.append(&mut text);
        out
    }

    fn float(&self, value: f64) -> Vec<u8> {
        let sign = self.sign(value.is_sign_negative());
        let upper = self.kind.is_ascii_uppercase();
        let magnitude = value.abs();
        let (prefix, digits) = if !magnitude.is_finite() {
            ("", if magnitude.is_nan() { "nan" } else { "inf" }.to_owned())
        } else {
            let precision = self.precision.unwrap_or(6);
            match self.kind.to_ascii_lowercase() {
                b'f' => ("", fixed(magnitude, precision, self.alternate)),
                b'e' => ("", scientific(magnitude, precision, self.alternate)),
                b'g' => ("", general(magnitude, precision, self.alternate)),
                _ => ("0x", hexadecimal(magnitude, self.precision, self.alternate)),
            }
        };
        let (mut prefix, mut digits) = (format!("{sign}{prefix}"), digits);
        if upper {
            prefix.make_ascii_uppercase();
            digits.make_ascii_uppercase();
        }
        self.fielded(&prefix, &digits, self.zero && magnitude.is_finite())
    }
}

/// A run of digits, or the argument for `*`; and what follows.
fn number<'a>(input: &'a [u8], arguments: &mut Arguments<'_>) -> (Option<i64>, &'a [u8]) {
    if let Some(after) = input.strip_prefix(b"*") {
        return (arguments.int().map(i64::from), after);
    }
    let digits = input.iter().take_while(|b| b.is_ascii_digit()).count();
    let (run, after) = input.split_at(digits);
    let value =
        run.iter().fold(0i64, |n, b| n.saturating_mul(10).saturating_add(i64::from(b - b'0')));
    ((digits > 0).then_some(value), after)
}

fn clamped(n: u64) -> usize {
    usize::try_from(n).unwrap_or(MAX_FIELD_WIDTH).min(MAX_FIELD_WIDTH)
}

/// `%f`. Rust prints exact digits, rounded half to even, as C libraries do.
fn fixed(value: f64, precision: usize, point: bool) -> String {
    let point = if point && precision == 0 { "." } else { "" };
    format!("{value:.precision$}{point}")
}

/// `%e`: at least two digits of exponent, always signed.
fn scientific(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    let point = if point && precision == 0 { "." } else { "" };
    format!("{digits}{point}e{sign}{:02}", exponent.unsigned_abs())
}

/// `%g`: `%e` for exponents under -4 or from the precision on, else `%f`; trailing zeros go, unless
/// `#`.
fn general(value: f64, precision: usize, alternate: bool) -> String {
    let significant = precision.max(1);
    let probe = format!("{value:.*e}", significant - 1);
    let exponent: i64 = probe.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let plain = exponent >= -4 && exponent < significant as i64;
    let text = if plain {
        let decimals = (significant as i64 - 1 - exponent).max(0) as usize;
        fixed(value, decimals, alternate)
    } else {
        scientific(value, significant - 1, alternate)
    };
    if alternate {
        return text;
    }
    let (digits, tail) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    let short = if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    };
    format!("{short}{tail}")
}

/// `%a` without its `0x`: one hexadecimal digit before the point, the shortest exact fraction
/// unless a precision is given, a binary exponent.
fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    const FRACTION: u64 = (1 << 52) - 1;
    let bits = value.to_bits();
    let field = (bits >> 52) as i64;
    let normal = field != 0;
    let exponent = if value == 0.0 { 0 } else { field.max(1) - 1023 };
    let mut significand = bits & FRACTION | u64::from(normal) << 52;
    if let Some(digits) = precision.filter(|&digits| digits < 13) {
        // Round half to even at the last digit shown.
        let drop = 52 - 4 * digits as u32;
        let (kept, rest, half) =
            (significand >> drop, significand & ((1 << drop) - 1), 1 << (drop - 1));
        significand = (kept + u64::from(rest > half || rest == half && kept & 1 == 1)) << drop;
    }
    let mut fraction = format!("{:013x}", significand & FRACTION);
    match precision {
        Some(digits) => {
            fraction.truncate(digits);
            fraction.extend(std::iter::repeat_n('0', digits.saturating_sub(13)));
        }
        None => fraction.truncate(fraction.trim_end_matches('0').len()),
    }
    let mut text = format!("{:x}", significand >> 52);
    if point || !fraction.is_empty() {
        text.push('.');
    }
    text.push_str(&fraction);
    // Writing to a String cannot fail.
    let _ = write!(text, "p{exponent:+}");
    text
}

#[cfg(test)]
mod tests;
