//! Elements of local arrays that get no value before the kernel uses them. The compiler keeps such
//! an array in registers and gives the element any value, so the simulator sees no read of unset
//! memory.

use super::super::scan::Source;
use super::overrun::local_array;
use super::unset::is_local;

/// Longest array whose elements are counted.
const MAX_LENGTH: i64 = 4096;

/// An element of a local array that the kernel reads although no line gives it a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnsetElement {
    pub array: String,
    pub index: i64,
    /// Where the name of the array is declared.
    pub line: u32,
    pub column: u32,
}

/// The first element of a local array that is read, but never written. An array with an access
/// whose index cannot be read from the source is left out.
pub(super) fn unset_element(source: &Source<'_>) -> Option<UnsetElement> {
    let lines: Vec<(u32, Vec<char>)> =
        source.texts().map(|(line, code)| (line, code.chars().collect())).collect();
    source.texts().find_map(|(line, code)| {
        let (array, length) = local_array(&code)?;
        let column = source.occurrences(&array).into_iter().find(|(at, _)| *at == line)?.1;
        let length = source.constant(&length).filter(|length| (1..=MAX_LENGTH).contains(length))?;
        if !is_local(&lines, (line, column)) {
            return None;
        }
        let index = first_unset(source, &array, length, (line, column))?;
        Some(UnsetElement { array, index, line, column })
    })
}

/// The index of the first element that is read, but not written.
fn first_unset(source: &Source<'_>, array: &str, length: i64, declared: (u32, u32)) -> Option<i64> {
    let end = source.function_around(declared.0)?.end;
    let uses = source.occurrences(array).into_iter();
    let uses: Vec<(u32, u32)> = uses.filter(|place| *place > declared && place.0 <= end).collect();
    let (mut written, mut read) = (vec![false; usize::try_from(length).ok()?], vec![]);
    for (line, column) in uses {
        let found = source.subscripts(line, array).into_iter().find(|s| s.column == column)?;
        // an address or another array may have this name
        if !found.flat || source.code_before(line, column).trim_end().ends_with(['&', '.', '>']) {
            return None;
        }
        let range = match source.constant(&found.inner) {
            Some(index) => (index, Some(index)),
            None => loop_range(source, &found.inner, (line, column))?,
        };
        let (first, last) = (range.0.max(0), range.1);
        if found.read {
            read.extend(first..=last.unwrap_or(first).min(length - 1));
        }
        // `part[w] += x` needs an old value
        if found.assigned && !found.read {
            let last = last?.min(length - 1);
            written
                .iter_mut()
                .take((last + 1) as usize)
                .skip(first as usize)
                .for_each(|w| *w = true);
        }
    }
    read.sort_unstable();
    read.into_iter().find(|index| written.get(*index as usize) == Some(&false))
}

/// The first and the last value of the variable of a loop around a place, which counts up by one.
/// The last one is `None` if it is no constant.
fn loop_range(
    source: &Source<'_>,
    name: &str,
    (line, column): (u32, u32),
) -> Option<(i64, Option<i64>)> {
    let first = line.saturating_sub(20).max(1);
    let before: String = source
        .code_chars_from(first)
        .take_while(|(place, _)| *place < (line, column))
        .map(|(_, c)| c)
        .collect();
    let headers = before.match_indices("for").filter_map(|(at, _)| {
        let header = before.get(at..)?.strip_prefix("for")?.trim_start().strip_prefix('(')?;
        let mut parts = header.splitn(3, ';');
        let (start, condition, step) = (parts.next()?, parts.next()?, parts.next()?);
        let (variable, start) = start.split_once('=')?;
        let step = step.split(')').next()?.split_whitespace().collect::<String>();
        let own = variable.split_whitespace().last()? == name;
        own.then(|| (start.trim().to_owned(), condition.to_owned(), step))
    });
    let (start, condition, step) = headers.last()?;
    let by_one = [format!("++{name}"), format!("{name}++"), format!("{name}+=1")].contains(&step);
    let start = source.constant(&start).filter(|_| by_one)?;
    let bound = condition.split_once('<').filter(|(left, _)| left.trim() == name)?.1;
    let last = match bound.strip_prefix('=') {
        Some(bound) => source.constant(bound),
        None => source.constant(bound).map(|bound| bound - 1),
    };
    Some((start, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Option<(String, i64)> {
        let text = format!(
            "constexpr int N = 8;\nvoid k(float* out) {{\n    float part[N];\n{body}\n}}\n"
        );
        unset_element(&Source::new(&text)).map(|found| (found.array, found.index))
    }

    #[test]
    fn an_element_without_a_value_is_found() {
        let sum = "    for (int w = 0; w < N; ++w) sum += part[w];";
        let unset = |index| Some(("part".to_owned(), index));
        assert_eq!(
            found(&format!("    for (int w = 1; w < N; ++w) part[w] = 2;\n{sum}")),
            unset(0)
        );
        assert_eq!(
            found(&format!("    for (int w = 0; w < N - 1; w++)\n        part[w] = 2;\n{sum}")),
            unset(7)
        );
        assert_eq!(found("    part[0] = 0;\n    float sum = part[1];"), unset(1));
        assert_eq!(found(sum), unset(0));
        assert_eq!(found("    for (int w = 0; w < N; ++w) part[w] += out[w];"), unset(0));
        assert_eq!(found(&format!("    for (int w = 0; w < N; ++w) part[w] = 2;\n{sum}")), None);
    }

    #[test]
    fn an_array_that_something_else_may_fill_is_left_out() {
        let sum = "    for (int w = 0; w < N; ++w) sum += part[w];";
        for fill in [
            "fill(part);",
            "part[i] = 1;",
            "float* p = &part[0];",
            "for (int w = n; w < N; ++w) part[w] = 1;",
        ] {
            assert_eq!(found(&format!("    {fill}\n{sum}")), None, "{fill}");
        }
        let member =
            "struct V {\n    float part[4];\n    float sum() { return part[0] + part[1]; }\n};\n";
        assert_eq!(unset_element(&Source::new(member)), None);
    }
}
