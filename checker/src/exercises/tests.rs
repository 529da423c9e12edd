//! What must be true of every Spec, so that mistakes of an author never reach a learner.

use std::collections::HashSet;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::*;
use crate::spec::{Case, Kind, Role, Start};
use crate::value::Value;

fn inputs(spec: &Spec, case: &Case, seed: u64) -> Vec<Value> {
    (spec.inputs)(case, &mut ChaCha8Rng::seed_from_u64(seed))
}

#[test]
fn ids_are_unique_and_chapters_agree() {
    let mut seen = HashSet::new();
    for chapter in chapters() {
        for spec in chapter.exercises {
            assert_eq!(spec.chapter, chapter.id, "{}", spec.id);
            assert!(seen.insert(spec.id), "{} twice", spec.id);
        }
    }
}

#[test]
fn each_has_hints_pitfalls_and_well_named_cases() {
    for spec in all() {
        assert!(spec.hints.len() >= 3 && spec.pitfalls.len() >= 3, "{}", spec.id);
        let names: HashSet<_> = spec.cases.iter().map(|c| c.name).collect();
        assert_eq!(names.len(), spec.cases.len(), "{}: two cases of one name", spec.id);
        assert!(spec.gates.is_empty() || spec.cases.iter().any(|c| c.gated), "{}", spec.id);
    }
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

/// The arguments match the parameters, and the reference answers for every output with its shape.
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

/// The same seed repeats a case exactly; another seed changes it; no input is constant. Most floats
/// differ; integers may have few values, such as the two of a spin.
#[test]
fn inputs_are_repeatable_and_discriminate() {
    for spec in all() {
        for case in spec.cases {
            let values = inputs(spec, case, 7);
            assert_eq!(values, inputs(spec, case, 7), "{} {}", spec.id, case.name);
            assert_ne!(values, inputs(spec, case, 8), "{} {}", spec.id, case.name);
            for value in &values {
                if let Value::Array(a) = value
                    && a.len() > 1
                {
                    let bits = (0..a.len()).map(|i| a.get_f64(i).to_bits());
                    let different: HashSet<u64> = bits.collect();
                    let discriminates = match a.dtype().is_float() {
                        true => different.len() * 2 > a.len(),
                        false => a.len() <= 4 || different.len() > 1,
                    };
                    assert!(discriminates, "{} {}", spec.id, case.name);
                }
            }
        }
    }
}

#[test]
fn every_optimise_exercise_has_a_large_case() {
    for spec in all() {
        assert!(spec.large.is_some() || spec.start != Start::Optimise, "{}", spec.id);
        let Some(large) = &spec.large else { continue };
        assert_eq!(large.grid[0] > 0, spec.kind == Kind::Kernel, "{}", spec.id);
        let names = |case: &Case| case.sizes.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        for case in spec.cases {
            assert_eq!(names(case), names(large), "{}: sizes of another name", spec.id);
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
