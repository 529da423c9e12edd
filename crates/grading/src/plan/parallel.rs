//! GNU parallel: all cores or GPUs of one machine.
//!
//! ```text
//! checker grade submissions --roster roster.csv --policy grading.toml --seed-file secret.txt --out out --plan parallel
//! sh out/plan/run.sh             grades, then merges; run again after Ctrl-C or a crash, it goes on where it was
//! ```
//!
//! It needs `apt-get install parallel`. With GPUs, as many shards run at a time as there are slots,
//! and slot n has its own GPUs (`CUDA_VISIBLE_DEVICES`). `out/plan/joblog.tsv` says how long each
//! shard took and how it ended. (`checker grade` alone, with `--jobs`, does the same on one
//! machine; this adds a log, time limits and retries.)

use super::{Plan, Planned, PlannedFile, script, scripts};
use crate::text;

/// More would only cost time to start.
pub const MAX_SHARDS: u32 = 10_000;
pub(super) const SHARD_LIMIT_REASON: &str = "more parts than that only cost time to start";

pub(super) fn files(plan: &Plan) -> Planned {
    let mut files = scripts(plan);
    let list = format!("seq 1 {}", plan.shards);
    files.push(run(
        plan,
        "run.sh",
        "all shards; those that ended well before are skipped",
        &list,
        true,
    ));
    let next = format!(
        "On the machine that shall grade (GNU parallel is `apt-get install parallel`):

    sh {}

It runs {} shards, {} at a time, and then the merge. Run it again after an interruption: it goes on where it was.
",
        text::quote(&format!("{}/run.sh", plan.folder())),
        plan.shards,
        plan.at_once.unwrap_or(1).max(1),
    );
    Planned { files, next }
}

pub(super) fn again(plan: &Plan, shards: &[u32]) -> Planned {
    let list: Vec<String> = shards.iter().map(u32::to_string).collect();
    let list = format!("printf '%s\\n' {}", list.join(" "));
    let what = "the shards of students who were missing";
    let file = run(plan, "retry.sh", what, &list, false);
    let next = format!("sh {}", text::quote(&format!("{}/retry.sh", plan.folder())));
    Planned { files: vec![file], next }
}

/// The joblog knows its tasks by their place in the list, so only runs over the same list may
/// resume from it.
fn run(plan: &Plan, name: &str, what: &str, list: &str, resume: bool) -> PlannedFile {
    let log = if resume { "--joblog joblog.tsv --resume-failed" } else { "--joblog retry.tsv" };
    let gpus = plan.gpus;
    let device = |g: u32| match gpus {
        1 => "$(({%} - 1))".to_owned(),
        _ => format!("$((({{%}} - 1) * {gpus} + {g}))"),
    };
    let devices: Vec<String> = (0..gpus).map(device).collect();
    let devices = match gpus {
        0 => String::new(),
        _ => format!("CUDA_VISIBLE_DEVICES={} ", devices.join(",")),
    };
    script(
        name,
        format!(
            "#!/bin/sh
# Grades {what}, and merges.
# Written by `checker grade --plan parallel`.
set -eu
if ! parallel --version 2>/dev/null | grep -q GNU; then
    echo 'GNU parallel is not installed: apt-get install parallel' >&2
    exit 3
fi
cd -- {}
# Whatever the user's own shell is.
export PARALLEL_SHELL=/bin/sh
{list} |
    parallel --jobs {} {log} --retries 2 --timeout {} '{devices}exec sh ./shard.sh {{}}' ||
    echo \"some shards failed: see $PWD\" >&2
exec sh ./merge.sh
",
            text::quote(&plan.folder()),
            plan.at_once.unwrap_or(1).max(1),
            u64::from(plan.minutes()) * 60,
        ),
    )
}
