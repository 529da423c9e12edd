//! A file whose runs take more time than a file has.
//!
//! Needs a CUDA compiler, which `cargo checker setup` installs.

use std::time::Duration;

use checker::attempt::{self, SEED, Trial};
use checker::backend::Choice;
use checker::diagnostic::Slug;
use checker::engine::Engine;
use checker::{course, exercises, toolchain};

/// The first case that doesn't start in time says so, and so does the verdict, although no case
/// that ran was wrong.
#[test]
fn a_case_without_time_is_not_right() {
    let compilers = toolchain::find(None).ok().flatten();
    let compilers = compilers.expect("no CUDA compiler: run `cargo checker setup` first");
    let mut engine = Engine::new(compilers, Choice::Sim);
    let spec = exercises::find("guard").expect("an exercise");
    let source = || Ok(course::solution(spec).expect("a solution").to_owned());
    for hidden in [false, true] {
        let cases = 0..spec.cases.len();
        let trials: Vec<Trial> = cases.map(|case| Trial { case, seed: SEED, hidden }).collect();
        let mut examine =
            |limit| attempt::examine(spec, source(), &trials, &mut engine, limit).expect("it runs");
        let in_time = examine(Duration::MAX);
        assert!(in_time.results.iter().all(|result| result.passed()), "{:?}", in_time.results);

        let late = examine(Duration::ZERO);
        let slug = late.results[0].verdict.as_ref().map(|verdict| verdict.slug());
        assert_eq!(slug, Some(Slug::NeverFinishes));
        assert!(late.results.iter().all(|result| !result.passed()));
        assert!(late.results[1..].iter().all(|result| !result.ran && result.verdict.is_none()));
        // what happens in secret runs isn't part of the attempt's verdict
        assert_eq!(late.attempt.verdict.slug() == Slug::NeverFinishes, !hidden);
    }
}
