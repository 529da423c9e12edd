//! Local arrays that a loop uses one element too far. The compiler keeps such an array in registers
//! and gives the element that doesn't exist any value, so the simulator sees no access.

use super::super::scan::{Source, is_word};

/// A local array, and a loop whose last index is the array's length.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Overrun {
    pub array: String,
    /// The length, as the source has it.
    pub length: String,
    /// The line of the loop.
    pub line: u32,
    pub index: String,
}

/// The first `for (...; k <= N; ...)` whose statement uses element `k` of a local array of `N`
/// elements.
pub(super) fn overrun(source: &Source<'_>) -> Option<Overrun> {
    let lines: Vec<(u32, String)> = source.texts().collect();
    let arrays: Vec<(String, String)> =
        lines.iter().filter_map(|(_, code)| local_array(code)).collect();
    lines.iter().enumerate().find_map(|(at, (line, code))| {
        let header = code.get(code.find("for")?..)?.strip_prefix("for")?.trim_start();
        let condition = header.strip_prefix('(')?.split(';').nth(1)?;
        let (index, bound) = condition.split_once("<=")?;
        let (index, bound) = (index.trim(), squeezed(bound));
        // the loop's statement, or the first lines of its block
        let body: String = lines.iter().skip(at).take(4).map(|(_, code)| squeezed(code)).collect();
        let used = |(array, length): &&(String, String)| {
            *length == bound && body.contains(&format!("{array}[{index}]"))
        };
        let (array, length) = arrays.iter().find(used)?;
        let length = if length.contains(is_operator) { spaced(length) } else { length.clone() };
        Some(Overrun { array: array.clone(), length, line: *line, index: index.to_owned() })
    })
}

/// `float window[2 * RADIUS];`: the name, and the length without spaces.
pub(super) fn local_array(code: &str) -> Option<(String, String)> {
    const TYPES: [&str; 7] = ["float", "double", "int", "unsigned", "long", "char", "half"];
    let ty = code.split_whitespace().next()?;
    let (before, after) = code.trim_end().strip_suffix(';')?.split_once('[')?;
    let length =
        after.trim_end().strip_suffix(']').filter(|length| !length.contains(['[', '=']))?;
    let name = before.split_whitespace().last()?;
    let plain = name.chars().all(is_word) && !before.contains(['=', '(', '.']);
    (TYPES.contains(&ty) && plain).then(|| (name.to_owned(), squeezed(length)))
}

fn squeezed(code: &str) -> String {
    code.chars().filter(|c| !c.is_whitespace()).collect()
}

fn is_operator(c: char) -> bool {
    ['+', '-', '*', '/'].contains(&c)
}

/// With a space around each operator.
fn spaced(code: &str) -> String {
    code.chars().map(|c| if is_operator(c) { format!(" {c} ") } else { c.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_uses_one_element_too_many_is_found() {
        let found = |text: &str| overrun(&Source::new(text));
        let kernel = "void k() {\n    float window[2 * R];\n    for (int k = 0; k <= 2*R; k++) window[k] = 0;\n}\n";
        let expected =
            Overrun { array: "window".into(), length: "2 * R".into(), line: 3, index: "k".into() };
        assert_eq!(found(kernel), Some(expected));
        assert_eq!(found(&kernel.replace("k <= 2*R", "k < 2*R")), None);
        assert_eq!(found(&kernel.replace("[2 * R]", "[2 * R + 1]")), None);
        assert_eq!(found(&kernel.replace("window[k]", "window[k - 1]")), None);
        assert_eq!(found(&kernel.replace("float", "__shared__ float")), None);
    }
}
