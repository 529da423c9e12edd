//! Slurm: a job array, and a merge that runs after it.
//!
//! ```text
//! checker grade submissions --roster roster.csv --policy grading.toml --seed-file secret.txt --out out --plan slurm
//! sh out/plan/submit.sh          submits the array, and the merge with --dependency=afterany
//! squeue --me                    what still runs; logs are in out/plan/logs
//! ```
//!
//! It needs a folder that all nodes share (class and output), the checker at the same path on all
//! of them, and Linux 5.13 or newer there for the sandbox. No accounting database, no `srun`. A
//! task is requeued when its node fails (`--requeue`); one that ends badly (exit 3, out of time,
//! out of memory) leaves its students missing, and the merge then submits the shards of those once
//! more (`retry.sh`). `afterany`, because `afterok` would never run after a task that failed. Where
//! nodes may not submit jobs, its log says so, and `sh out/plan/retry.sh` does it by hand. A task
//! that waits with the reason `PartitionTimeLimit` asks for more time than the partition gives:
//! plan more shards, or fewer seconds for a student. The seed's file must be readable for the
//! account that grades and for no other account.

use super::{Error, Plan, Planned, PlannedFile, quote, script, scripts, shard};
use crate::text;

/// Indices in one array: `MaxArraySize` is 1001 unless a site changed it, and the largest index is
/// one less.
pub const MAX_ARRAY_TASKS: u32 = 1000;
/// Ten arrays of [`MAX_ARRAY_TASKS`]: Slurm keeps 10 000 jobs at a time (`MaxJobCount`).
pub const MAX_SHARDS: u32 = 9_000;
pub(super) const SHARD_LIMIT_REASON: &str =
    "Slurm keeps 10 000 jobs unless `MaxJobCount` says otherwise";

pub(super) fn files(plan: &Plan) -> Result<Planned, Error> {
    let all: Vec<u32> = (1..=plan.shards).collect();
    let mut files = scripts(plan);
    files.push(task(plan));
    files.push(merge(plan));
    files.push(submit(plan, "submit.sh", "all shards", &all)?);
    let folder = plan.folder();
    let submit = text::quote(&format!("{folder}/submit.sh"));
    let next = format!(
        "On a machine of the cluster that can submit jobs:

    sh {submit}

It submits {} tasks and, after them, the merge. A task whose node fails runs again by itself; what is still missing
after the merge is submitted once more. `squeue --me` shows what runs, and logs are in
{folder}/logs.
",
        plan.shards
    );
    Ok(Planned { files, next })
}

pub(super) fn again(plan: &Plan, shards: &[u32]) -> Result<Planned, Error> {
    let file = submit(plan, "retry.sh", "the shards of students who were missing", shards)?;
    let next = format!("sh {}", text::quote(&format!("{}/retry.sh", plan.folder())));
    Ok(Planned { files: vec![file], next })
}

/// One task of the array. Its first argument is what its index counts from.
fn task(plan: &Plan) -> PlannedFile {
    let mut options = vec![
        "--job-name=checker-grade".to_owned(),
        "--nodes=1".into(),
        "--ntasks=1".into(),
        format!("--cpus-per-task={}", plan.jobs.max(1)),
        format!("--time={}", plan.minutes()),
        // Again when the node fails, and then to the same log.
        "--requeue".into(),
        "--open-mode=append".into(),
    ];
    options.extend(plan.memory_mib.map(|mib| format!("--mem={mib}M")));
    options.extend((plan.gpus > 0).then(|| format!("--gres=gpu:{}", plan.gpus)));
    options.extend(place(plan));
    let shard = text::quote(&format!("{}/shard.sh", plan.folder()));
    script(
        "grade.sbatch",
        format!(
            "#!/bin/sh
{}
# One part of the class; the part's number is the task's index, counted from the first argument.
exec sh {shard} \"$((${{1:-0}} + SLURM_ARRAY_TASK_ID))\"
",
            directives(&options)
        ),
    )
}

/// The merge. In the first round it submits what is missing once more, with a merge after it that
/// does not.
fn merge(plan: &Plan) -> PlannedFile {
    let mut options = vec![
        "--job-name=checker-merge".to_owned(),
        "--nodes=1".into(),
        "--ntasks=1".into(),
        "--time=30".into(),
        "--requeue".into(),
        "--open-mode=append".into(),
    ];
    options.extend(plan.memory_mib.map(|mib| format!("--mem={mib}M")));
    options.extend(place(plan));
    script(
        "merge.sbatch",
        format!(
            "#!/bin/sh
{}
# The class's results; the first argument is the round.
cd -- {} || exit 3
status=0
sh ./merge.sh || status=$?
if [ \"$status\" -eq 3 ] && [ \"${{1:-1}}\" -lt 2 ] && [ -f retry.sh ]; then
    exec sh ./retry.sh 2
fi
exit \"$status\"
",
            directives(&options),
            text::quote(&plan.folder())
        ),
    )
}

fn place(plan: &Plan) -> impl Iterator<Item = String> {
    let partition = plan.partition.as_ref().map(|name| format!("--partition={name}"));
    let account = plan.account.as_ref().map(|name| format!("--account={name}"));
    partition.into_iter().chain(account)
}

fn directives(options: &[String]) -> String {
    options.iter().map(|option| format!("#SBATCH {option}")).collect::<Vec<_>>().join("\n")
}

/// The script that submits arrays for `shards` and the merge. An array's indices may not pass
/// [`MAX_ARRAY_TASKS`], so each thousand of shards has an array of its own.
fn submit(plan: &Plan, name: &str, what: &str, shards: &[u32]) -> Result<PlannedFile, Error> {
    let folder = plan.folder();
    if folder.contains('\\') {
        // A backslash turns off all patterns in the name of a log.
        return Err(plan.text(
            "the output's folder",
            &folder,
            "Slurm reads a backslash in names of logs",
        ));
    }
    let arrays: Vec<(u32, Vec<u32>)> = shards
        .chunk_by(|a, b| (a - 1) / MAX_ARRAY_TASKS == (b - 1) / MAX_ARRAY_TASKS)
        .filter_map(|chunk| {
            let offset = (chunk.first()? - 1) / MAX_ARRAY_TASKS * MAX_ARRAY_TASKS;
            Some((offset, chunk.iter().map(|n| n - offset).collect()))
        })
        .collect();
    // The limit is one for all.
    let at_once = |n: u32| n.div_ceil(u32::try_from(arrays.len()).unwrap_or(1).max(1)).max(1);
    let at_once = plan.at_once.map(|n| format!("%{}", at_once(n))).unwrap_or_default();
    let lines: Vec<String> = arrays
        .iter()
        .map(|(offset, indices)| format!("submit {}{at_once} {offset}", shard::ranges(indices)))
        .collect();
    let logs = quote::slurm_name(&format!("{folder}/logs"));
    let [task_log, merge_log] =
        ["%A_%a.log", "merge-%j.log"].map(|log| text::quote(&format!("{logs}/{log}")));
    let contents = format!(
        "#!/bin/sh
# Submits {what}, and the merge after them.
# Written by `checker grade --plan slurm`. The first argument is the round: 2 is the last.
set -eu
cd -- {}
mkdir -p logs
ids=
submit() {{
    id=$(sbatch --parsable --array=\"$1\" --output={task_log} grade.sbatch \"$2\")
    ids=$ids:${{id%%;*}}
}}
{}
merge=$(sbatch --parsable --dependency=\"afterany$ids\" --output={merge_log} merge.sbatch \"${{1:-1}}\")
echo \"submitted: tasks${{ids}}, then merge ${{merge%%;*}}\"
",
        text::quote(&folder),
        lines.join("\n")
    );
    Ok(script(name, contents))
}
