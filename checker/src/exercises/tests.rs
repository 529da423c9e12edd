//! Tests of every Spec, so that an author's mistakes don't reach a learner.

use std::collections::HashSet;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::*;
use crate::spec::{Case, Kind, Role, Start};
use crate::value::{Array, DType, Value};

fn inputs(spec: &Spec, case: &Case, seed: u64) -> Vec<Value> {
    (spec.inputs)(case, &mut ChaCha8Rng::seed_from_u64(seed))
}

/// The bits of all elements, because a NaN doesn't equal itself.
fn exactly(values: &[Value]) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::Array(array) => {
            let bits: Vec<u64> = (0..array.len()).map(|i| array.get_f64(i).to_bits()).collect();
            format!("{bits:?}")
        }
        other => format!("{other:?}"),
    };
    values.iter().map(text).collect()
}

#[test]
fn ids_are_unique_and_chapters_agree() {
    let mut seen = HashSet::new();
    for chapter in chapters() {
        for spec in chapter.exercises {
            assert_eq!(spec.chapter, chapter.id, "{}", spec.id);
            assert!(seen.insert(spec.id), "{} appears twice", spec.id);
        }
    }
}

/// The first line of the learner's file names the section of the book that the reports name.
#[test]
fn files_name_their_section() {
    for spec in all() {
        let original = crate::course::skeleton(spec).expect("an original");
        let first = original.lines().next().unwrap_or_default();
        let section = spec.learn.split('"').nth(1).expect("a section");
        assert!(first.starts_with(&format!("// {} | chapter ", spec.id)), "{first}");
        assert!(first.ends_with(&format!("\"{section}\"")), "{first} doesn't name {section}");
    }
}

#[test]
fn each_has_hints_pitfalls_and_well_named_cases() {
    for spec in all() {
        assert!(spec.hints.len() >= 3 && spec.pitfalls.len() >= 3, "{}", spec.id);
        let names: HashSet<_> = spec.cases.iter().map(|c| c.name).collect();
        assert_eq!(names.len(), spec.cases.len(), "{}: two cases have the same name", spec.id);
        assert!(spec.gates.is_empty() || spec.cases.iter().any(|c| c.gated), "{}", spec.id);
    }
}

/// No number is the same in all cases with all seeds, so a kernel has to use its parameters.
#[test]
fn each_number_differs_between_cases() {
    let mut constant = vec![];
    for spec in all() {
        let calls_of = |seed| spec.cases.iter().map(move |case| inputs(spec, case, seed));
        let calls: Vec<_> = [1, 2].into_iter().flat_map(calls_of).collect();
        for (index, param) in spec.params.iter().enumerate() {
            let first = &calls[0][index];
            let is_number = matches!(first, Value::Scalar(_));
            if is_number && calls.iter().all(|values| values[index] == *first) {
                constant.push(format!("{} of {}: {first:?}", param.name, spec.id));
            }
        }
    }
    assert!(constant.is_empty(), "{constant:#?}");
}

#[test]
fn every_launch_is_legal_and_small_enough_for_a_quick_check() {
    for spec in all() {
        let threads =
            |c: &Case| c.grid.iter().chain(&c.block).map(|d| u64::from(*d)).product::<u64>();
        for case in spec.cases {
            assert!(case.block.iter().product::<u32>() <= 1024, "{} {}", spec.id, case.name);
            assert!(case.block[2] <= 64 && case.grid[1] <= 65_535, "{} {}", spec.id, case.name);
        }
        assert!(spec.cases.iter().map(threads).sum::<u64>() < 1_000_000, "{}", spec.id);
    }
}

/// The arguments match the parameters, and the reference computes every output in its shape.
#[test]
fn arguments_and_references_fit_the_parameters() {
    for spec in all() {
        for case in spec.cases {
            let values = inputs(spec, case, 1);
            let answers = (spec.reference)(case, &values);
            let mut answers = answers.iter();
            assert_eq!(values.len(), spec.params.len(), "{}", spec.id);
            for (param, value) in spec.params.iter().zip(&values) {
                match (param.role, value) {
                    (Role::Scalar, Value::Scalar(s)) => assert_eq!(s.dtype(), param.dtype),
                    (Role::In, Value::Array(a)) => assert_eq!(a.dtype(), param.dtype),
                    (Role::InOut, Value::Array(a)) => {
                        assert_eq!(a.dtype(), param.dtype);
                        assert_eq!(answers.next().expect("an answer").shape(), a.shape());
                    }
                    (Role::Time, Value::Out { dtype, .. }) => assert_eq!(*dtype, param.dtype),
                    (Role::Out | Role::Host | Role::Answer, Value::Out { dtype, shape }) => {
                        assert_eq!(*dtype, param.dtype);
                        assert_eq!(answers.next().expect("an answer").shape(), shape);
                    }
                    _ => panic!("{} {}: {} has the wrong kind", spec.id, case.name, param.name),
                }
            }
            assert!(answers.next().is_none(), "{}: more answers than outputs", spec.id);
        }
    }
}

/// The same seed repeats a case exactly, another seed changes it, and no input is constant. Most
/// floats of an input differ, but integers may have few values. For example, a spin has only two.
/// An array of halves has few, too, if products of them have to be exact.
#[test]
fn inputs_are_repeatable_and_discriminate() {
    // floats of this size are 0.25 apart
    const COARSE: &str = "scores around -2 000 000";

    for spec in all() {
        for case in spec.cases {
            let values = inputs(spec, case, 7);
            let again = [7, 8].map(|seed| exactly(&inputs(spec, case, seed)));
            assert_eq!(exactly(&values), again[0], "{} {}", spec.id, case.name);
            assert_ne!(exactly(&values), again[1], "{} {}", spec.id, case.name);
            for value in &values {
                if let Value::Array(a) = value
                    && a.len() > 1
                {
                    let bits = (0..a.len()).map(|i| a.get_f64(i).to_bits());
                    let different: HashSet<u64> = bits.collect();
                    let discriminates = match a.dtype() {
                        DType::F16 => different.len() * 2 > a.len().min(128),
                        _ if case.name == COARSE => different.len() * 2 > a.len().min(64),
                        dtype if dtype.is_float() => different.len() * 2 > a.len(),
                        _ => a.len() <= 4 || different.len() > 1,
                    };
                    assert!(discriminates, "{} {}", spec.id, case.name);
                }
            }
        }
    }
}

/// Input arrays whose values depend little or not at all on the seed, and the reason.
const SAME_WITH_EVERY_SEED: [(&str, &str, &str); 1] =
    [("last_block", "finished", "the counter is 0 before each launch")];

/// Another seed changes nearly every input array: most magnitudes of its floats, or any of its
/// integers. So a program can't compute results from what the inputs of all seeds have in common.
#[test]
fn each_input_array_depends_on_the_seed() {
    let mut constant = Vec::new();
    for spec in all() {
        for case in spec.cases {
            let (one, other) = (inputs(spec, case, 7), inputs(spec, case, 8));
            for ((param, one), other) in spec.params.iter().zip(&one).zip(&other) {
                let (Value::Array(one), Value::Array(other)) = (one, other) else { continue };
                let length = one.len().min(other.len());
                let magnitude = |array: &Array, i| array.get_f64(i).abs().to_bits();
                let same = |i: &usize| magnitude(one, *i) == magnitude(other, *i);
                let same = (0..length).filter(same).count();
                let depends = match one.dtype().is_float() {
                    true => 2 * same < length.max(1),
                    false => one != other,
                };
                let named = (spec.id, param.name);
                let excepted =
                    SAME_WITH_EVERY_SEED.iter().any(|(id, name, _)| (*id, *name) == named);
                if !depends && !excepted {
                    constant
                        .push(format!("{} {} {}: {same}/{length}", spec.id, case.name, param.name));
                }
            }
        }
    }
    assert!(constant.is_empty(), "{}", constant.join("\n"));
}

/// Optimise exercises without a large case, because their solutions don't make a kernel faster.
const UNMEASURED: [&str; 2] = ["concurrent_kernels", "mapped_memory"];

#[test]
fn every_optimise_exercise_has_a_large_case() {
    for spec in all() {
        let measured = spec.start == Start::Optimise && !UNMEASURED.contains(&spec.id);
        assert!(spec.large.is_some() || !measured, "{}", spec.id);
        let Some(large) = &spec.large else { continue };
        assert_eq!(large.grid[0] > 0, spec.kind == Kind::Kernel, "{}", spec.id);
        let names = |case: &Case| case.sizes.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        for case in spec.cases {
            assert_eq!(names(case), names(large), "{}: the sizes have other names", spec.id);
        }
    }
}

/// Only kernels are compiled with macros of their case, and each macro is a single identifier.
#[test]
fn macros_are_names_and_belong_to_kernels() {
    for spec in all() {
        for (name, _) in spec.cases.iter().flat_map(|case| case.defines) {
            assert_eq!(spec.kind, Kind::Kernel, "{}", spec.id);
            let plain = |c: char| c.is_ascii_uppercase() || c == '_';
            assert!(!name.is_empty() && name.chars().all(plain), "{}: {name}", spec.id);
        }
    }
}

#[test]
fn found_by_name_and_by_path() {
    assert_eq!(find("blocks").expect("known").id, "blocks");
    assert_eq!(find("exercises/ch01_threads/blocks.cu").expect("known").id, "blocks");
}

#[test]
fn the_nearest_name_is_suggested() {
    let near = |name: &str| find(name).expect_err("unknown").nearest;
    assert_eq!(near("block"), Some("blocks"));
    assert_eq!(near("gridstride"), Some("grid_stride"));
    assert_eq!(near("Matrix-Add"), Some("matrix_add_2d"));
    assert_eq!(near("zzz"), None);
    assert_eq!(
        find("dubble_it").expect_err("unknown").to_string(),
        "no exercise is called `dubble_it`; did you mean `double_it`?"
    );
}

/// Outputs that are the same for every seed. An entry contains the exercise, the case (or an empty
/// string for all cases), the output and the reason. Numbers that learners write into the file
/// (`Role::Answer`) don't count as outputs.
const FIXED: &[(&str, &str, &str, &str)] = &[
    ("error_checking", "all is well", "codes", "success is 0; `data` depends on the seed"),
    ("error_checking", "64 TiB", "codes", "a gate counts the call that fails"),
    ("error_checking", "2048 threads", "codes", "a gate counts the call that fails"),
    ("error_checking", "a kernel that fails", "codes", "a gate counts the call that fails"),
    ("error_checking", "1025 threads", "codes", "a gate counts the call that fails"),
    (
        "error_checking",
        "a failure at the last element",
        "codes",
        "a gate counts the call that fails",
    ),
    (
        "error_checking",
        "a random amount of memory",
        "codes",
        "the call fails with each amount that may be drawn",
    ),
    (
        "error_checking",
        "a random number of threads",
        "codes",
        "the launch fails with each number that may be drawn",
    ),
    (
        "error_checking",
        "a failure at a random element",
        "codes",
        "the kernel fails at each element that may be drawn",
    ),
    ("error_checking", "all is well again", "codes", "success is 0; `data` depends on the seed"),
    (
        "error_checking",
        "an unavailable GPU",
        "codes",
        "the machine causes the error; no kernel computes `data`",
    ),
    (
        "error_checking",
        "no code for this GPU",
        "codes",
        "the machine causes the error; no kernel computes `data`",
    ),
    (
        "error_checking",
        "an error in the memory",
        "codes",
        "the machine causes the error; no kernel computes `data`",
    ),
    (
        "error_checking",
        "an error in the memory, at the copy in",
        "codes",
        "the machine causes the error; no kernel computes `data`",
    ),
    (
        "error_checking",
        "an error in the memory, at the copy back",
        "codes",
        "the machine causes the error; `data` isn't copied back",
    ),
    ("barrier_divergence", "one element", "out", "the share of the only element is 1"),
    ("big_tile", "", "fits", "the sizes decide this; the rows depend on the seed"),
    ("last_block", "", "finished", "the kernel resets it to 0; `best` depends on the seed"),
    ("last_block", "one element", "places", "the index is 0; the value depends on the seed"),
    (
        "last_block",
        "many ties",
        "parts",
        "each block's maximum is -1; its place depends on the seed",
    ),
    ("reduction_kernel", "dot of none", "result", "without elements, the neutral value"),
    ("reduction_kernel", "max of none", "result", "without elements, the neutral value"),
    ("reduction_kernel", "count of none", "result", "without elements, the neutral value"),
    ("event_timing", "1000 elements, 2000 steps", "out", "every element is 2 after 2000 steps"),
    (
        "izhikevich",
        "300 neurons, one step",
        "spikes",
        "no neuron fires in one step; `v` and `u` depend on the seed",
    ),
    (
        "euler_collatz",
        "256 numbers just below a million",
        "best",
        "the longest chains are among the numbers; `lengths` depend on the seed",
    ),
    (
        "euler_collatz",
        "2048 numbers around 837 799",
        "best",
        "the longest chain below a million; `lengths` depend on the seed",
    ),
];

/// A table of answers must not pass with secret inputs, so the answer of each case depends on the
/// seed. If an answer has fewer than 32 bits, it may be the same for two seeds.
#[test]
fn each_seed_has_other_answers() {
    const SEEDS: std::ops::Range<u64> = 1000..1006;
    let (mut wrong, mut used) = (vec![], HashSet::new());
    for spec in all() {
        let outputs: Vec<_> = spec.params.iter().filter(|p| p.role.is_compared()).collect();
        for case in spec.cases {
            let answers: Vec<Vec<Vec<u8>>> = SEEDS
                .map(|seed| (spec.reference)(case, &inputs(spec, case, seed)))
                .map(|answers| answers.iter().map(Array::to_bytes).collect())
                .collect();
            let distinct = |of: &dyn Fn(&[Vec<u8>]) -> Vec<u8>| {
                answers.iter().map(|answer| of(answer)).collect::<HashSet<_>>().len()
            };
            let mut all_fixed = true;
            for (at, output) in outputs.iter().enumerate() {
                let fixed = FIXED.iter().position(|(exercise, name, fixed, _)| {
                    (*exercise, *fixed) == (spec.id, output.name)
                        && (name.is_empty() || *name == case.name)
                });
                let same = distinct(&|answer| answer[at].clone()) == 1;
                if same && fixed.is_none() && output.role != Role::Answer {
                    wrong.push(format!("{} `{}`: {}", spec.id, case.name, output.name));
                }
                if same {
                    used.extend(fixed);
                }
                all_fixed &= same;
            }
            let whole = distinct(&|answer| answer.concat());
            if !all_fixed && whole < 4 {
                wrong.push(format!(
                    "{} `{}`: {whole} answers for seeds {SEEDS:?}",
                    spec.id, case.name
                ));
            }
        }
    }
    let unused = FIXED.iter().enumerate().filter(|(i, _)| !used.contains(i));
    wrong.extend(unused.map(|(_, fixed)| format!("{fixed:?} does depend on the seed")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
