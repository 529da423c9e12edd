//! The figures of chapter 12: two threads that merge what they know about the largest magnitude,
//! and the table of an embedding in both directions.

use super::Panel;
use super::index::group;
use super::svg::{Svg, WIDTH};

/// The largest magnitude of some elements, and the sum of (element / largest)^2 over them.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scaled {
    largest: f64,
    sum: f64,
}

impl Scaled {
    const fn of(element: f64) -> Self {
        Self { largest: element, sum: 1.0 }
    }

    /// The part of the common sum that this one contributes.
    fn relative_to(self, largest: f64) -> f64 {
        self.sum * (self.largest / largest).powi(2)
    }

    fn merge(self, other: Self) -> Self {
        let largest = self.largest.max(other.largest);
        Self { largest, sum: self.relative_to(largest) + other.relative_to(largest) }
    }

    fn words(self) -> String {
        format!("{}, {:.4}", self.largest, self.sum)
    }
}

/// The elements of two threads, one after the other, and the merge of both results.
pub fn running(threads: [[f64; 2]; 2]) -> Vec<Panel> {
    let results = threads.map(|[first, second]| Scaled::of(first).merge(Scaled::of(second)));
    let both = results[0].merge(results[1]);
    vec![
        Panel {
            title: "Each thread by itself",
            caption: format!(
                "The line below each element shows the thread's results so far, which are the largest magnitude and the sum of the squares \
                 relative to it. Thread 0 meets a larger element and rescales its sum, but {} isn't larger than {}.",
                threads[1][1], threads[1][0]
            ),
            svg: apart(threads),
        },
        Panel {
            title: "The merge",
            caption: format!(
                "The sum of thread 0 refers to {} and that of thread 1 to {}, so they can't be added yet. The merge makes both \
                 relative to {}. The norm of the four elements is {} * sqrt({:.4}) = {:.2}.",
                results[0].largest,
                results[1].largest,
                both.largest,
                both.largest,
                both.sum,
                both.largest * both.sum.sqrt()
            ),
            svg: merged(results),
        },
    ]
}

fn apart(threads: [[f64; 2]; 2]) -> Svg {
    let mut svg = Svg::default();
    for (thread, elements) in threads.into_iter().enumerate() {
        let x = thread as f64 * WIDTH / 2.0;
        svg.word([x, 12.0], "small", &format!("thread {thread}"));
        let mut known: Option<Scaled> = None;
        for (k, element) in elements.into_iter().enumerate() {
            let left = x + k as f64 * 86.0;
            let own = Scaled::of(element);
            let now = known.map_or(own, |before| before.merge(own));
            svg.cell([left, 18.0], [80.0, 26.0], group(thread), &element.to_string());
            svg.line([left + 40.0, 44.0], [left + 40.0, 68.0], "brace");
            svg.cell([left, 68.0], [80.0, 26.0], "data", &now.words());
            known = Some(now);
        }
    }
    svg
}

fn merged(results: [Scaled; 2]) -> Svg {
    let mut svg = Svg::default();
    let both = results[0].merge(results[1]);
    for (thread, result) in results.into_iter().enumerate() {
        let x = thread as f64 * WIDTH / 2.0;
        svg.word([x, 12.0], "small", &format!("thread {thread}"));
        svg.cell([x, 18.0], [166.0, 26.0], group(thread), &result.words());
        let ratio = format!("{}/{}", result.largest, both.largest);
        let factor =
            format!("{:.4} * ({ratio})² = {:.4}", result.sum, result.relative_to(both.largest));
        svg.word([x, 62.0], "small", &factor);
        svg.line([x + 83.0, 68.0], [WIDTH / 2.0, 84.0], "brace");
    }
    svg.cell([97.0, 84.0], [166.0, 26.0], "g2", &both.words());
    svg
}

/// A text and the rows of its words, in alphabetical order.
const TEXT: [&str; 5] = ["the", "cat", "and", "the", "dog"];
const WORDS: [&str; 4] = ["and", "cat", "dog", "the"];

fn row_of(word: &str) -> usize {
    WORDS.iter().position(|known| *known == word).unwrap_or(0)
}

/// The rows that several positions have.
fn shared_rows() -> Vec<usize> {
    let uses = |row: &usize| TEXT.iter().filter(|word| row_of(word) == *row).count();
    (0..WORDS.len()).filter(|row| uses(row) > 1).collect()
}

/// The positions read their rows, and then their gradients are added to the rows.
pub fn embedding() -> Vec<Panel> {
    let met: Vec<&str> = shared_rows().into_iter().map(|row| WORDS[row]).collect();
    vec![
        Panel {
            title: "The network reads the table",
            caption: "Each position of the text copies the row of its word. Two positions may read the same row.".to_owned(),
            svg: table("a copy of its row for each position", false),
        },
        Panel {
            title: "The gradients go back",
            caption: format!(
                "Each position adds its gradient to the row of its word. Two gradients meet in the row of `{}`, so this addition has to be atomic.",
                met.join("`, `")
            ),
            svg: table("a gradient for each position", true),
        },
    ]
}

fn table(positions: &str, back: bool) -> Svg {
    let mut svg = Svg::default();
    let (w, row_width) = (WIDTH / TEXT.len() as f64, WIDTH / WORDS.len() as f64);
    svg.word([0.0, 12.0], "small", positions);
    for (i, word) in TEXT.iter().enumerate() {
        let x = i as f64 * w;
        let row = row_of(word);
        let end = row as f64 * row_width + row_width / 2.0 - 3.0;
        svg.cell([x, 18.0], [w - 6.0, 26.0], "g0", word);
        let class = if back && shared_rows().contains(&row) { "reach" } else { "brace" };
        svg.line([x + w / 2.0 - 3.0, 44.0], [end, 88.0], class);
    }
    for (row, word) in WORDS.iter().enumerate() {
        let class = if back && shared_rows().contains(&row) { "clash" } else { "data" };
        svg.cell([row as f64 * row_width, 88.0], [row_width - 6.0, 26.0], class, word);
    }
    svg.word([0.0, 130.0], "small", "the rows of the table");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The norm of 6, 8, 24 and 7 is the root of 725.
    #[test]
    fn merged_sums_have_the_norm_of_all_elements() {
        let both = [6.0, 8.0, 24.0, 7.0].map(Scaled::of).into_iter().reduce(Scaled::merge);
        let both = both.expect("elements");
        assert!((both.largest * both.sum.sqrt() - 725.0_f64.sqrt()).abs() < 1e-12);
        let panels = running([[6.0, 8.0], [24.0, 7.0]]);
        assert!(panels[1].caption.contains("= 26.93"), "{}", panels[1].caption);
    }

    #[test]
    fn one_word_occurs_twice() {
        assert_eq!(shared_rows(), [3]);
    }
}
