//! Finds the pattern of the wrong elements, which says more than a list: "block 0 is right, every
//! other block is wrong".

use std::collections::HashMap;

use super::compare::Comparison;
use crate::verdict::Pattern;

/// Share of the wrong elements that must fit a shift. The elements at the ends of an array seldom
/// do.
const MIN_SHIFTED_SHARE: f64 = 0.9;

/// The pattern of `wrong` (ascending, not empty): the first that fits, from specific to vague. A
/// pattern of blocks needs a launch with one thread for each element, in several blocks.
pub fn find(
    wrong: &[usize],
    compared: &Comparison<'_>,
    shape: &[usize],
    launch: Option<([u32; 3], [u32; 3])>,
) -> Pattern {
    let total = compared.len();
    let Some((&first, &last)) = wrong.first().zip(wrong.last()) else { return Pattern::Scattered };
    if wrong.len() == 1 && total > 1 {
        return Pattern::Single(first);
    }
    let solid = last - first + 1 == wrong.len();
    let matrix = match *shape {
        [rows, columns] if rows > 1 && columns > 1 => Some(Matrix { rows, columns }),
        _ => None,
    };
    let (grid, block) = launch.unwrap_or(([1; 3], [1; 3]));
    let [bx, by, bz] = block.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let threads = bx.saturating_mul(by).saturating_mul(bz);
    let grid = grid.iter().fold(1_usize, |all, &n| all.saturating_mul(n as usize));
    let spread = grid > 1 && threads > 0 && grid.saturating_mul(threads) >= total;

    matrix
        .filter(|_| spread)
        .and_then(|m| m.blocks(wrong, bx, by))
        .or_else(|| {
            let plain = spread && matrix.is_none();
            plain.then(|| blocks(wrong, total, threads, solid)).flatten()
        })
        .or_else(|| matrix.and_then(|m| m.transposed(compared)))
        .or_else(|| matrix.is_none().then(|| periodic(wrong, total)).flatten())
        .or_else(|| shifted(wrong, compared, &[threads, matrix.map_or(1, |m| m.columns)]))
        .or_else(|| (wrong.len() == total).then_some(Pattern::All))
        .or_else(|| matrix.and_then(|m| m.lines(wrong)))
        .or_else(|| (solid && last + 1 == total).then_some(Pattern::From(first)))
        .or_else(|| (solid && first == 0).then_some(Pattern::Before(last + 1)))
        .or_else(|| periodic(wrong, total))
        .unwrap_or(Pattern::Scattered)
}

/// One thread per element, in a row: only block 0 right, or only the last, partly filled block
/// wrong.
fn blocks(wrong: &[usize], total: usize, threads: usize, solid: bool) -> Option<Pattern> {
    let (first, last) = (*wrong.first()?, *wrong.last()?);
    if !solid || last + 1 != total || total <= threads {
        return None;
    }
    let partial = total % threads;
    if first == threads {
        Some(Pattern::OnlyFirstBlockRight(threads))
    } else if partial != 0 && first == total - partial {
        Some(Pattern::OnlyLastBlockWrong(threads))
    } else {
        None
    }
}

/// Probability that two random elements are equal, above which a shift may be a coincidence: when
/// there are few different values, many elements are equal.
const MAX_EQUAL_BY_CHANCE: f64 = 0.25;

/// The wrong elements have the expected values of elements a fixed distance away.
fn shifted(wrong: &[usize], compared: &Comparison<'_>, strides: &[usize]) -> Option<Pattern> {
    if wrong.len() < 3 {
        return None;
    }
    let near = 1..=32_usize;
    let distances = near.chain(strides.iter().copied().filter(|&stride| stride > 32));
    for distance in distances.filter(|&d| d < compared.len()) {
        let allowed = ((1.0 - MIN_SHIFTED_SHARE) * wrong.len() as f64) as usize
            + distance.min(wrong.len() / 4);
        for forward in [true, false] {
            let source = |i: usize| {
                if forward { i.checked_add(distance) } else { i.checked_sub(distance) }
            };
            let fits = |&i: &usize| {
                source(i).is_some_and(|j| j < compared.len() && compared.is_right(i, j))
            };
            // Stops early when too many elements do not fit, so that a wrong distance costs little.
            if wrong.iter().filter(|i| !fits(i)).take(allowed + 1).count() <= allowed
                && !is_coincidence(wrong, compared, source)
            {
                let by = i64::try_from(distance).ok()?;
                let exists = |i: &&usize| source(**i).is_some_and(|j| j < compared.len());
                let all = wrong.iter().filter(exists).all(fits);
                return Some(Pattern::Shifted { by: if forward { by } else { -by }, all });
            }
        }
    }
    None
}

/// Whether the wrong elements may equal the expected values at their `source` by chance: they are
/// all the same, or there are few different values, and too many right elements do not equal the
/// expected values at theirs.
fn is_coincidence(
    wrong: &[usize],
    compared: &Comparison<'_>,
    source: impl Fn(usize) -> Option<usize>,
) -> bool {
    let value = |i: &usize| compared.yours(*i).as_f64().to_bits();
    let first = wrong.first().map(value);
    if wrong.iter().all(|i| Some(value(i)) == first) {
        return true;
    }
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for i in 0..compared.len() {
        *counts.entry(compared.expected(i).as_f64().to_bits()).or_default() += 1;
    }
    let share = |count: u32| f64::from(count) / compared.len() as f64;
    let alike: f64 = counts.values().map(|count| share(*count).powi(2)).sum();
    if alike <= MAX_EQUAL_BY_CHANCE {
        return false;
    }
    let mut rest = wrong.iter().peekable();
    let mut contradicting = 0_u32;
    for i in 0..compared.len() {
        let is_wrong = rest.next_if_eq(&&i).is_some();
        if let Some(j) = source(i).filter(|j| !is_wrong && *j < compared.len()) {
            contradicting += u32::from(!compared.is_right(i, j));
        }
    }
    f64::from(contradicting) > (1.0 - MIN_SHIFTED_SHARE) * wrong.len() as f64
}

/// One index in each period, from the start to the end.
fn periodic(wrong: &[usize], total: usize) -> Option<Pattern> {
    let [first, second, _, ..] = *wrong else { return None };
    let last = *wrong.last()?;
    let period = second - first;
    let regular = wrong.iter().zip(wrong.iter().skip(1)).all(|(a, b)| b - a == period);
    (period > 1 && regular && first < period && last + period >= total)
        .then_some(Pattern::Periodic { period, offset: first })
}

/// A two-dimensional output.
#[derive(Clone, Copy)]
struct Matrix {
    rows: usize,
    columns: usize,
}

impl Matrix {
    /// Whether the wrong elements are exactly those for which `bad` is true.
    fn exactly(self, wrong: &[usize], bad: impl Fn(usize, usize) -> bool) -> bool {
        let fit = wrong.iter().all(|i| bad(i / self.columns, i % self.columns));
        let count = || {
            (0..self.rows)
                .map(|row| (0..self.columns).filter(|&column| bad(row, column)).count())
                .sum::<usize>()
        };
        fit && count() == wrong.len()
    }

    /// Only the elements of block (0,0) are right, one thread per element.
    fn blocks(self, wrong: &[usize], bx: usize, by: usize) -> Option<Pattern> {
        let smaller = bx < self.columns || by < self.rows;
        (by > 1 && smaller && self.exactly(wrong, |row, column| row >= by || column >= bx))
            .then(|| Pattern::OnlyFirstBlockRight(bx.min(self.columns) * by.min(self.rows)))
            // With a block as wide or as high as the matrix, whole rows or columns are wrong, which
            // `lines` describes better.
            .filter(|_| bx < self.columns && by < self.rows)
    }

    /// Whole rows or columns are wrong.
    fn lines(self, wrong: &[usize]) -> Option<Pattern> {
        let first = *wrong.first()?;
        let (row, column) = (first / self.columns, first % self.columns);
        let column_of_last = wrong.iter().map(|i| i % self.columns).max()?;
        let row_of_last = wrong.last()? / self.columns;
        if row == row_of_last && self.exactly(wrong, |r, _| r == row) {
            Some(Pattern::Row(row))
        } else if column == column_of_last && self.exactly(wrong, |_, c| c == column) {
            Some(Pattern::Column(column))
        } else if row > 0 && self.exactly(wrong, |r, _| r >= row) {
            Some(Pattern::RowsFrom(row))
        } else if column > 0 && self.exactly(wrong, |_, c| c >= column) {
            Some(Pattern::ColumnsFrom(column))
        } else {
            self.edges(wrong)
        }
    }

    /// Two edges or more are wrong, of a matrix that has elements inside them.
    fn edges(self, wrong: &[usize]) -> Option<Pattern> {
        let Self { rows, columns } = self;
        let at = |row, column| [row == 0, row + 1 == rows, column == 0, column + 1 == columns];
        let sets = (0..16_u32).filter(|set| set.count_ones() > 1);
        let mut sets = sets.map(|set| [0, 1, 2, 3].map(|edge| set >> edge & 1 == 1));
        let found = sets.find(|edges| {
            let on = |row, column| at(row, column).iter().zip(edges).any(|(at, edge)| *at && *edge);
            self.exactly(wrong, on)
        });
        found.filter(|_| rows > 2 && columns > 2).map(Pattern::Edges)
    }

    /// Stored column after column instead of row after row.
    fn transposed(self, compared: &Comparison<'_>) -> Option<Pattern> {
        (0..compared.len())
            .all(|k| compared.is_right(k, (k % self.rows) * self.columns + k / self.rows))
            .then_some(Pattern::Transposed)
    }
}
