//! Planted pairs are found, and others are not.

mod class;
mod disguise;

use class::{Random, course, unrelated, versions};
use grading::similar::{Options, compare};

/// Calibration figures.
#[test]
fn figures() {
    let versions = versions();
    let course = course(&versions);
    let options = Options { threshold: 0.0, most_pairs: 100_000, ..Options::default() };

    let mut all = vec![];
    for seed in 0..6 {
        let class = unrelated(&versions, 13, &mut Random(seed));
        let similar = compare(&course, &class, &options);
        for pair in similar.pairs.iter().filter(|p| p.score > 0.3) {
            println!(
                "{:.2} {} {}: {}",
                pair.score,
                pair.a,
                pair.b,
                pair.exercises
                    .iter()
                    .filter(|e| e.counts)
                    .map(|e| {
                        format!("{} {:.0}/{:.0}/{:.0}", e.exercise, e.shared, e.own_a, e.own_b)
                    })
                    .collect::<Vec<_>>()
                    .join(", ")
            );
            all.push(pair.score);
        }
        if seed == 0 {
            for p in &similar.pairs[..1] {
                println!("{}", grading::similar::pair(&similar, p, 140, false));
            }
        }
    }
    let class = class::crowd(&versions, 200, &mut Random(5));
    let begin = std::time::Instant::now();
    let similar = compare(&course, &class, &Options::default());
    println!("200 students: {:?}", begin.elapsed());
    println!("{}", grading::similar::text(&similar, 120, false));
}
