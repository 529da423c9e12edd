//! One instruction at a time against plain Rust. The tables are in `ptx-cases`, because they also
//! run on a GPU.

use crate::common::{Kernel, module};
use ptx_cases::instructions::{self, Case};
use ptxsim::{Diagnose, Module, Options};
use std::sync::Arc;

/// The simulator's results of a case, which is kernel `name` of the module.
pub fn results(module: &Arc<Module>, case: &Case, name: &str) -> Vec<u64> {
    let options = Options { diagnose: Diagnose::Bounds, ..Options::default() };
    let ran = Kernel::of(module, &case.launch(name)).run(&options);
    let findings = &ran.seen.findings;
    assert!(ran.seen.completed && findings.is_empty(), "{}: {findings:?}", case.instruction);
    ran.get("3")
}

fn check(group: &str) {
    let cases = instructions::cases(group);
    assert!(!cases.is_empty(), "{group}");
    let module = module(&instructions::module(&cases));
    for (n, case) in cases.iter().enumerate() {
        let got = results(&module, case, &format!("k{n}"));
        if let (Some(i), count) = case.wrong(&got) {
            let [a, b, c] = [0, 1, 2].map(|n: usize| case.inputs[n][i]);
            panic!(
                "`{}` of {a:#x}, {b:#x}, {c:#x} (element {i}) is {:#x}, not {:#x}; {count} elements are wrong",
                case.instruction, got[i], case.expected[i]
            );
        }
    }
}

/// The results of a group's cases.
type Results = Vec<(Case, Vec<u64>)>;

/// Compares all results with each record of a GPU, bit for bit; approximate results only with the
/// stated error bounds. Groups that are newer than a record come last, and are not compared.
#[test]
fn results_match_the_gpu() {
    let files = std::fs::read_dir("tests/records").expect("the records");
    let names = files.filter_map(|f| f.ok()?.file_name().into_string().ok());
    let records: Vec<String> = names.filter(|name| name.starts_with("instructions-")).collect();
    assert!(!records.is_empty());
    let results: Vec<(&str, Results)> = instructions::GROUPS
        .iter()
        .map(|(group, _)| {
            let cases = instructions::cases(group);
            let module = module(&instructions::module(&cases));
            let results = (0..).zip(cases).map(|(n, case)| {
                let results = results(&module, &case, &format!("k{n}"));
                (case, results)
            });
            (*group, results.collect())
        })
        .collect();
    for name in records {
        let record = std::fs::read_to_string(format!("tests/records/{name}")).expect("the record");
        compare(&name, &record, &results);
    }
}

fn compare(name: &str, record: &str, results: &[(&str, Results)]) {
    let mut rows = record.lines().filter(|l| !l.starts_with('#')).skip(1);
    let mut wrong = vec![];
    let recorded = |group: &str| record.lines().any(|l| l.split('\t').next() == Some(group));
    let mut newer = results.iter().skip_while(|(group, _)| recorded(group));
    assert!(newer.all(|(group, _)| !recorded(group)), "{name} lacks a group in the middle");
    for (group, cases) in results.iter().filter(|(group, _)| recorded(group)) {
        for (n, (case, results)) in cases.iter().enumerate() {
            let row: Vec<&str> = rows.next().expect("a row for every case").split('\t').collect();
            let [of, number, _, digest, error, instruction] = row[..] else {
                panic!("six fields: {row:?}")
            };
            let text = case.instruction.replace('\n', " ");
            assert_eq!(
                (of, number, instruction),
                (*group, n.to_string().as_str(), text.as_str()),
                "{name} is of other cases: make it anew"
            );
            if error.is_empty() && format!("{:016x}", instructions::digest(results)) != digest {
                wrong.push(format!("{group} {n}: {text}"));
            }
        }
    }
    assert_eq!(rows.next(), None, "{name} has more cases");
    assert!(wrong.is_empty(), "other results than in {name}:\n{}", wrong.join("\n"));
}

/// A test for each group, and a check that there is a test for every group.
macro_rules! groups {
    ($($group:ident)*) => {
        $(
            #[test]
            fn $group() {
                check(stringify!($group));
            }
        )*

        #[test]
        fn every_group_is_checked() {
            let checked = [$(stringify!($group)),*];
            assert_eq!(instructions::GROUPS.map(|(name, _)| name), checked);
        }
    };
}

groups! {
    integer_arithmetic_of_every_width
    logic_and_bits_of_every_width
    thirty_two_bit_specialities
    comparisons
    conversions_between_integers
    conversions_with_floats
    floating_point_arithmetic
    half_precision
    guards_leave_the_others_alone
    packing_and_unpacking
    loads_extend_and_stores_cut
    vectors_move_in_one_piece
    generic_addresses_of_three_spaces_in_one_warp
    atomics_of_every_kind
    shuffles_with_every_segment
    votes_matches_and_reductions
    barriers_that_count
    special_registers
    nans_of_f32
    nans_of_f64
    nans_of_halves
    nans_as_integers
    division_by_zero
    approximations
    approximate_divisions
    seeds_of_f64
    carries_after_other_operations
    eight_bit_floats
    packed_integers
    video_of_chosen_parts
    video_of_all_parts
    matrices_in_a_warp
    matrices_of_floats
    matrices_of_integers
    fragments_of_matrices
    products_of_fragments
}

#[test]
fn threads_and_blocks_in_three_dimensions() {
    let m = module(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 d)\n{\n.reg .b32 %r<16>;\n\
         .reg .b64 %x<4>;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %tid.y;\nmov.u32 %r2, %tid.z;\nmov.u32 %r3, %ntid.x;\n\
         mov.u32 %r4, %ntid.y;\nmad.lo.u32 %r5, %r2, %r4, %r1;\nmad.lo.u32 %r5, %r5, %r3, %r0;\nmov.u32 %r6, %ctaid.x;\n\
         mov.u32 %r7, %ctaid.y;\nmov.u32 %r8, %ctaid.z;\nmov.u32 %r9, %nctaid.x;\nmov.u32 %r10, %nctaid.y;\n\
         mad.lo.u32 %r11, %r8, %r10, %r7;\nmad.lo.u32 %r11, %r11, %r9, %r6;\nmov.u32 %r12, %ntid.z;\n\
         mul.lo.u32 %r12, %r12, %r4;\nmul.lo.u32 %r12, %r12, %r3;\nmad.lo.u32 %r13, %r11, %r12, %r5;\n\
         ld.param.u64 %x0, [d];\nmul.wide.u32 %x1, %r13, 4;\nadd.s64 %x0, %x0, %x1;\nst.global.u32 [%x0], %r13;\nret;\n}\n",
    );
    let all = 5 * 3 * 3 * 2 * 3 * 2;
    Kernel::new(&m, "k")
        .grid(2, 3, 2)
        .block(5, 3, 3)
        .uninitialised::<u32>("d", all)
        .assert_clean(|ran| assert_eq!(ran.get::<u32>("d"), (0..all as u32).collect::<Vec<_>>()));
}
