//! Formats numbers and positions for reports.

/// `63 488`: digits in groups of three, from 10 000 on (or 1000 when `n` stands beside larger
/// numbers in a table).
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

/// The same for a length or an index.
pub fn size(n: usize) -> String {
    count(n as u64)
}

/// `1 thread`, `24 threads`.
pub fn many(n: u64, one: &str, more: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { more })
}

/// `3 times`, and `15 times or more` where the simulator stops counting the writes of an element.
pub fn times(writes: u32) -> String {
    match writes {
        ptxsim::MAX_COUNTED_WRITES.. => format!("{} times or more", ptxsim::MAX_COUNTED_WRITES),
        n => format!("{n} times"),
    }
}

/// `512 B`, `8 KiB`, `1.5 MiB`.
pub fn size_in_bytes(bytes: u64) -> String {
    let units = [("GiB", 30_u32), ("MiB", 20), ("KiB", 10)];
    let unit = units.into_iter().find(|(_, shift)| bytes >> shift > 0);
    let Some((unit, shift)) = unit else { return format!("{bytes} B") };
    let value = bytes as f64 / (1_u64 << shift) as f64;
    if value.fract() == 0.0 { format!("{value} {unit}") } else { format!("{value:.1} {unit}") }
}

/// A measured count: whole numbers without decimals, ratios with one.
pub fn measured(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 && value >= 0.0 {
        count(value as u64)
    } else {
        format!("{value:.1}")
    }
}

/// `5`, `5x3` or `5x3x2`, without trailing ones.
pub fn dims([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}

/// Threads in `dims`, or blocks.
pub fn volume(dims: [u32; 3]) -> u64 {
    dims.iter().fold(1, |product, &n| product.saturating_mul(u64::from(n)))
}

/// How a launch's blocks and threads are named: plain numbers in one dimension, `(x,y)` or
/// `(x,y,z)` beyond.
#[derive(Clone, Copy)]
pub struct ThreadNames {
    grid: [u32; 3],
    block: [u32; 3],
}

impl ThreadNames {
    /// For a launch of this shape.
    pub fn new(grid: [u32; 3], block: [u32; 3]) -> Self {
        Self { grid, block }
    }

    /// `3` or `(3,1)`.
    pub fn block_index(self, index: [u32; 3]) -> String {
        place(index, self.grid)
    }

    /// `232` or `(8,1)`.
    pub fn thread_index(self, index: [u32; 3]) -> String {
        place(index, self.block)
    }

    /// `block 3, thread 232`; the block is left out where there is only one.
    pub fn thread(self, block: [u32; 3], thread: [u32; 3]) -> String {
        let thread = self.thread_index(thread);
        if volume(self.grid) == 1 {
            format!("thread {thread}")
        } else {
            format!("block {}, thread {thread}", self.block_index(block))
        }
    }
}

fn place([x, y, z]: [u32; 3], within: [u32; 3]) -> String {
    match within {
        [_, 1, 1] => x.to_string(),
        [_, _, 1] => format!("({x},{y})"),
        _ => format!("({x},{y},{z})"),
    }
}

/// Significant digits of a value: enough to check a computation by hand.
pub const DIGITS: usize = 6;

/// Two values with as many digits as it takes to distinguish them, at least [`DIGITS`] and at most
/// `most`.
pub fn apart(yours: f64, expected: f64, most: usize) -> (String, String) {
    let mut pair = (digits(yours, DIGITS), digits(expected, DIGITS));
    for significant in DIGITS + 1..=most {
        if pair.0 != pair.1 {
            break;
        }
        pair = (digits(yours, significant), digits(expected, significant));
    }
    pair
}

/// `value` with this many significant digits; whole numbers as they are.
pub fn digits(value: f64, significant: usize) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() || value == 0.0 {
        return format!("{value}");
    }
    let magnitude = value.abs();
    if value.fract() == 0.0 && magnitude < 1e9 {
        return format!("{value}");
    }
    if !(1e-4..1e9).contains(&magnitude) {
        return format!("{value:.*e}", significant - 1);
    }
    let before = magnitude.log10().floor() as i32 + 1;
    let decimals = usize::try_from(significant as i32 - before).unwrap_or(0);
    let text = format!("{value:.decimals$}");
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in reports are easy to read.
    #[test]
    fn numbers_read_well() {
        assert_eq!(count(1280), "1280");
        assert_eq!(count(63_488), "63 488");
        assert_eq!(count(1_000_003), "1 000 003");
        assert_eq!(measured(4.0), "4");
        assert_eq!(measured(31.96), "32.0");
        assert_eq!(digits(0.743_112, 4), "0.7431");
        assert_eq!(digits(1.0, 4), "1");
        assert_eq!(digits(2.5, 4), "2.5");
        assert_eq!(size_in_bytes(1 << 20), "1 MiB");
        assert_eq!(size_in_bytes(1536), "1.5 KiB");
        assert_eq!(digits(123_456.78, 4), "123457");
        assert_eq!(digits(1.5e-9, 4), "1.500e-9");
        assert_eq!(digits(f64::NEG_INFINITY, 4), "-inf");
        assert_eq!(apart(1.000_001, 1.000_002, 9), ("1.000001".into(), "1.000002".into()));
    }
}
