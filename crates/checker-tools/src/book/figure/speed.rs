//! The figure of chapter 13: lanes that count in shared memory, with one counter for each bin and
//! with one for each bin and lane.

use std::collections::BTreeSet;

use super::Panel;
use super::svg::{Svg, WIDTH};

/// Lanes and banks of the drawing, which has fewer than the hardware.
const LANES: usize = 8;

/// The words of each bank that the lanes need. Lane `l` counts in bin `bins[l]`, whose counter is
/// word `word(l, bin)`.
fn words(bins: [usize; LANES], word: impl Fn(usize, usize) -> usize) -> [BTreeSet<usize>; LANES] {
    let mut banks = <[BTreeSet<usize>; LANES]>::default();
    for (lane, bin) in bins.into_iter().enumerate() {
        let word = word(lane, bin);
        banks[word % LANES].insert(word);
    }
    banks
}

/// Wavefronts of an access, which are the different words of its fullest bank.
fn turns(banks: &[BTreeSet<usize>; LANES]) -> usize {
    banks.iter().map(BTreeSet::len).max().unwrap_or(0)
}

const fn shared(_: usize, bin: usize) -> usize {
    bin
}

const fn own(lane: usize, bin: usize) -> usize {
    bin * LANES + lane
}

/// The lanes and their banks, with both kinds of counters.
pub fn counters(bins: [usize; LANES]) -> Vec<Panel> {
    let [one, many] = [words(bins, shared), words(bins, own)].map(|banks| turns(&banks));
    vec![
        Panel {
            title: "A counter for each bin",
            caption: format!(
                "Each lane shows the bin in which it counts. With {LANES} banks, the counter of bin `b` is in bank `b % {LANES}`. Lanes \
                 that need different words of a bank wait for each other, and the fullest bank \
                 needs {one} wavefronts here."
            ),
            svg: picture(bins, shared),
        },
        Panel {
            title: "A counter for each bin and lane",
            caption: format!(
                "Counter `l` of bin `b` is word `b * {LANES} + l`, which is in bank `l`. Each lane uses its own bank, so the access needs \
                 {many} wavefront, whatever the bins are."
            ),
            svg: picture(bins, own),
        },
    ]
}

fn picture(bins: [usize; LANES], word: impl Fn(usize, usize) -> usize + Copy) -> Svg {
    let mut svg = Svg::default();
    let banks = words(bins, word);
    let w = WIDTH / LANES as f64;
    let middle = |k: usize| k as f64 * w + (w - 6.0) / 2.0;
    svg.word([0.0, 12.0], "small", "the bins of the lanes");
    for (lane, bin) in bins.into_iter().enumerate() {
        let bank = word(lane, bin) % LANES;
        let class = if banks[bank].len() > 1 { "reach" } else { "brace" };
        svg.cell([lane as f64 * w, 18.0], [w - 6.0, 26.0], "g0", &bin.to_string());
        svg.line([middle(lane), 44.0], [middle(bank), 88.0], class);
    }
    for (bank, words) in banks.iter().enumerate() {
        let class = if words.len() > 1 { "clash" } else { "data" };
        svg.cell([bank as f64 * w, 88.0], [w - 6.0, 26.0], class, &bank.to_string());
    }
    svg.word([0.0, 130.0], "small", "the banks");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bins 3, 11 and 19 are in bank 3, and two lanes need bin 3.
    #[test]
    fn different_words_of_a_bank_take_turns() {
        let bins = [3, 11, 6, 0, 19, 4, 3, 9];
        assert_eq!(turns(&words(bins, shared)), 3);
        assert_eq!(turns(&words(bins, own)), 1);
    }
}
