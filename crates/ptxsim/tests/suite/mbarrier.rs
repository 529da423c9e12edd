//! Barriers in shared memory: `cuda::barrier` as the compilers write it, and the instructions
//! themselves.

use crate::common::{Kernel, Ran, all_settings, module, ptx};
use ptxsim::{FindingKind, Options};

/// Kernel `cbar` of the corpus: each thread stores, arrives, waits, and reads what another stored.
fn reversed(text: &str, threads: u32, seed: u64) -> Ran {
    let kernel = Kernel::new(&module(text), "cbar").block(threads, 1, 1);
    kernel.uninitialised::<i32>("o", 64).run(&Options { seed, ..Options::default() })
}

fn corpus(setting: &str) -> String {
    ptx(&format!("ptx/{setting}/26b_barrier"))
}

#[test]
fn cuda_barrier_objects() {
    let mut settings = 0;
    for m in all_settings("26b_barrier").iter().filter(|m| m.refused("cbar").is_none()) {
        for seed in 0..3 {
            let ran = reversed(&m.text, 64, seed);
            assert_eq!(ran.seen.findings, [], "{}", m.setting);
            assert_eq!(ran.get::<i32>("o"), (0..64).rev().collect::<Vec<_>>(), "{}", m.setting);
        }
        settings += usize::from(m.text.contains("mbarrier"));
    }
    assert_eq!(settings, 6);
}

/// Without the wait, a thread reads what another may still be storing.
#[test]
fn a_missing_wait_is_a_race() {
    for (setting, wait) in [("sm80", "test_wait"), ("sm90", "try_wait")] {
        let text = corpus(setting).replace("@%p2 bra \t$L__BB1_5;", "");
        assert!(text.contains(wait) && text != corpus(setting));
        let ran = reversed(&text, 64, 0);
        let races = ran.seen.findings.iter().filter(|f| matches!(f.what, FindingKind::SharedRace));
        assert!(races.count() > 0, "{setting}: {:?}", ran.seen.findings);
    }
}

/// A thread that is counted never arrives. This is found soon, with the locations where the other
/// threads wait.
#[test]
fn waiting_for_a_thread_that_never_arrives() {
    for setting in ["sm80", "sm90"] {
        let text =
            corpus(setting).replace("init.shared.b64 [%r4], %r5", "init.shared.b64 [%r4], 65");
        let ran = reversed(&text, 64, 0);
        let [finding] = &ran.seen.findings[..] else { panic!("{:?}", ran.seen.findings) };
        let FindingKind::Livelock { waiting, .. } = finding.what else { panic!("{finding:?}") };
        assert_eq!((waiting, finding.at.array.as_deref()), (64, Some("b")), "{setting}");
    }
}

/// A kernel with a barrier `b`, thread number in %r0 and the address of the thread's element of `d`
/// in %x0.
fn kernel(body: &str, threads: u32) -> Ran {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 d)\n{{\n\
         .reg .b32 %r<8>;\n.reg .b64 %x<8>;\n.reg .pred %p<4>;\n.shared .align 8 .b64 b;\n.shared .align 4 .b32 s[64];\n\
         ld.param.u64 %x0, [d];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %x1, %r0, 4;\nadd.s64 %x0, %x0, %x1;\n\
         shl.b32 %r1, %r0, 2;\nmov.u32 %r2, s;\nadd.s32 %r1, %r1, %r2;\n{body}\nret;\n}}\n"
    );
    let kernel = Kernel::new(&module(&text), "k").block(threads, 1, 1);
    kernel.uninitialised::<u32>("d", threads as usize).run(&Options::default())
}

const INIT: &str = "setp.ne.u32 %p0, %r0, 0;\n@%p0 bra $made;\nmbarrier.init.shared.b64 [b], 64;\n$made:\nbar.sync 0;\n";

/// Producers arrive and continue, consumers wait; in the next phase the roles are exchanged.
#[test]
fn phases_by_state_and_by_parity() {
    for (wait, arg) in
        [("test_wait", "%x2"), ("try_wait.acquire.cta", "%x2"), ("try_wait.parity", "0")]
    {
        let body = format!(
            "{INIT}st.shared.u32 [%r1], %r0;\nmbarrier.arrive.release.cta.shared::cta.b64 %x2, [b];\n\
             $wait:\nmbarrier.{wait}.shared::cta.b64 %p1, [b], {arg};\n@!%p1 bra $wait;\n\
             xor.b32 %r3, %r1, 252;\nld.shared.u32 %r4, [%r3];\nst.global.u32 [%x0], %r4;"
        );
        let ran = kernel(&body, 64);
        assert_eq!(ran.seen.findings, [], "{wait}");
        assert_eq!(ran.get::<u32>("d"), (0..64).map(|i| i ^ 63).collect::<Vec<_>>(), "{wait}");
    }
    // three phases in a row through one array
    let round = |n: u32| {
        format!(
            "st.shared.u32 [%r1], {n};\nmbarrier.arrive.shared.b64 _, [b];\n\
             $wait{n}:\nmbarrier.try_wait.parity.shared.b64 %p1, [b], {};\n@!%p1 bra $wait{n};\n\
             xor.b32 %r3, %r1, 252;\nld.shared.u32 %r4, [%r3];\nadd.u32 %r5, %r5, %r4;\n\
             mbarrier.arrive.shared.b64 %x2, [b];\n\
             $again{n}:\nmbarrier.test_wait.shared.b64 %p1, [b], %x2;\n@!%p1 bra $again{n};\n",
            0
        )
    };
    let body = format!(
        "{INIT}mov.u32 %r5, 0;\n{}{}{}st.global.u32 [%x0], %r5;",
        round(1),
        round(2),
        round(3)
    );
    let ran = kernel(&body, 64);
    assert_eq!(ran.seen.findings, []);
    assert_eq!(ran.get::<u32>("d"), [6; 64]);
}

/// Waiting for a phase that has long ended does not order accesses after that phase.
#[test]
fn waiting_for_an_old_phase_does_not_order_new_accesses() {
    let body = format!(
        "{INIT}mbarrier.arrive.shared.b64 %x2, [b];\n$wait:\nmbarrier.test_wait.shared.b64 %p1, [b], %x2;\n@!%p1 bra $wait;\n\
         st.shared.u32 [%r1], %r0;\nmbarrier.arrive.shared.b64 %x3, [b];\n\
         $again:\nmbarrier.test_wait.shared.b64 %p1, [b], %x2;\n@!%p1 bra $again;\n\
         xor.b32 %r3, %r1, 252;\nld.shared.u32 %r4, [%r3];\nst.global.u32 [%x0], %r4;"
    );
    let findings = kernel(&body, 64).seen.findings;
    assert!(findings.iter().any(|f| matches!(f.what, FindingKind::SharedRace)), "{findings:?}");
}

#[test]
fn dropped_threads_are_not_expected_in_later_phases() {
    // the first half arrives once, the other half twice
    let body = format!(
        "{INIT}setp.lt.u32 %p2, %r0, 32;\n@%p2 bra $drops;\nmbarrier.arrive.shared.b64 %x2, [b];\n\
         $wait:\nmbarrier.test_wait.shared.b64 %p1, [b], %x2;\n@!%p1 bra $wait;\n\
         mbarrier.arrive.noComplete.release.cta.shared.b64 %x2, [b], 1;\n\
         $again:\nmbarrier.test_wait.shared.b64 %p1, [b], %x2;\n@!%p1 bra $again;\nst.global.u32 [%x0], %r0;\nret;\n\
         $drops:\nmbarrier.arrive_drop.shared.b64 _, [b];\nst.global.u32 [%x0], %r0;"
    );
    let ran = kernel(&body, 64);
    assert_eq!(ran.seen.findings, []);
    assert_eq!(ran.get::<u32>("d"), (0..64).collect::<Vec<_>>());
}

#[test]
fn an_arrival_can_count_for_several_threads() {
    let body = format!(
        "{INIT}setp.ge.u32 %p2, %r0, 2;\n@%p2 bra $done;\nmbarrier.arrive.shared.b64 %x2, [b], 32;\n\
         mbarrier.pending_count.b64 %r3, %x2;\n\
         $wait:\nmbarrier.test_wait.shared.b64 %p1, [b], %x2;\n@!%p1 bra $wait;\nst.global.u32 [%x0], %r3;\n$done:"
    );
    let ran = kernel(&body, 64);
    assert_eq!(ran.seen.findings, []);
    assert_eq!(ran.get::<u32>("d")[..2], [64, 32]);
}

/// The barrier is not initialised, or the initialisation is not ordered before its use.
#[test]
fn uninitialised_and_invalid_barriers() {
    let arrive = "mbarrier.arrive.shared.b64 _, [b];\nst.global.u32 [%x0], %r0;";
    let findings = kernel(arrive, 64).seen.findings;
    assert_eq!(
        findings.iter().map(|f| &f.what).collect::<Vec<_>>(),
        [&FindingKind::UninitialisedRead]
    );
    let unordered = INIT.replace("bar.sync 0;\n", "") + arrive;
    let findings = kernel(&unordered, 64).seen.findings;
    assert!(findings.iter().any(|f| matches!(f.what, FindingKind::SharedRace)), "{findings:?}");
}

/// Accesses to barriers in shared memory are not counted, because their number depends on the order
/// of execution.
#[test]
fn barriers_are_not_counted_as_requests() {
    let ran = reversed(&corpus("sm80"), 64, 0);
    let c = ran.seen.totals;
    assert_eq!((c.shared_requests, c.shared_atomics), (4, 0));
}
