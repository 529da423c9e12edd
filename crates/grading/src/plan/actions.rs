//! GitHub Actions: a matrix with a job for each shard, and a job that merges.
//!
//! ```text
//! checker grade submissions --roster roster.csv --policy grading.toml --seed-file secret.txt --out out --plan actions
//! mkdir -p .github/workflows && cp out/plan/grade.yml .github/workflows/ && cp out/plan/plan.json .github/grade-plan.json
//! base64 -w 0 secret.txt | gh secret set GRADING_SEED      the file itself is never committed
//! gh workflow run grade.yml                       once it is on the default branch; `gh run watch`, `gh run download -n class`
//! gh run rerun --failed                           the shards that failed, and the merge
//! ```
//!
//! It needs a private repository with the submissions, the roster and the policy in it: everyone
//! who can read it can read the grades in the run's artefacts. With GPUs it asks for a runner of
//! your own with the labels `self-hosted`, `linux` and `gpu`: let it serve this repository alone,
//! and start it fresh for each job (`config.sh --ephemeral`). Actions are pinned by their major
//! version; the token may read the repository and nothing else, and is not left where a submission
//! could read it.

use super::{CommandPaths, Error, PLAN, Plan, Planned, PlannedFile, quote};
use crate::text;

/// Jobs of one matrix (GitHub's documentation, "Usage limits").
pub const MAX_SHARDS: u32 = 256;
pub(super) const SHARD_LIMIT_REASON: &str = "a matrix has 256 jobs at most";
/// Minutes of a job on GitHub's own machines, and on one's own (five days).
const HOSTED: u32 = 360;
const OWN: u32 = 5 * 24 * 60;

pub(super) fn files(plan: &Plan) -> Result<Planned, Error> {
    let minutes = plan.minutes();
    let most = if plan.gpus > 0 { OWN } else { HOSTED };
    if minutes > most {
        let (engine, shards) = (plan.engine.as_str(), plan.shards);
        return Err(Error::Long { engine, minutes, most, shards });
    }
    for (what, text) in plan.texts() {
        if text.contains("${{") {
            return Err(plan.text(what, text, "GitHub would evaluate `${{`"));
        }
    }
    let file =
        PlannedFile { path: "grade.yml".into(), contents: workflow(plan)?, executable: false };
    let out = inside_out(plan)?;
    let next = format!(
        "In the repository that holds the class (private: everyone who can read it can read the grades):

    mkdir -p .github/workflows && cp {} .github/workflows/grade.yml
    cp {} .github/grade-plan.json
    base64 -w 0 {} | gh secret set GRADING_SEED
    git add .github && git commit -m 'Grade the class' && git push
    gh workflow run grade.yml

`gh run watch` follows it, `gh run download -n class` fetches the results, and `gh run rerun --failed` runs the shards
again that failed, and the merge.
",
        text::quote(&format!("{out}/plan/grade.yml")),
        text::quote(&format!("{out}/plan/{PLAN}")),
        plan.grade.seed_file.as_deref().map_or("secret.txt".into(), text::quote),
    );
    Ok(Planned { files: vec![file], next })
}

pub(super) fn again() -> Planned {
    Planned { files: vec![], next: "gh run rerun --failed".into() }
}

fn inside_out(plan: &Plan) -> Result<String, Error> {
    Ok(plan.grade.inside(plan)?.out)
}

fn workflow(plan: &Plan) -> Result<String, Error> {
    let mut grade = plan.grade.inside(plan)?;
    // The program has its name there: `install` or the image puts it on PATH.
    grade.program = "checker".into();
    let has_seed = grade.seed_file.is_some();
    // Folders outside the checkout, so that no submission lies where records are taken from.
    let paths = CommandPaths {
        out: "\"$RUNNER_TEMP/grades\"",
        seed: "\"$RUNNER_TEMP/seed\"",
        shard: &format!("\"$SHARD\"/{}", plan.shards),
    };
    let command = grade.shell(&paths, plan.jobs);
    let class = "\"$RUNNER_TEMP/class\"";
    let merge = grade.merge(&format!("{class} \"$RUNNER_TEMP\"/shards/*"), class);
    let gpu = plan.gpus > 0;
    let runner = if gpu { "[self-hosted, linux, gpu]" } else { "ubuntu-24.04" };
    let limit =
        plan.at_once.map(|n| format!("      max-parallel: {}\n", n.max(1))).unwrap_or_default();
    let shards: Vec<String> = (1..=plan.shards).map(|n| n.to_string()).collect();
    let shards = quote::indent(&wrap(&shards), 10);
    let shards = shards.trim_start();
    let container = |gpu: bool| match &plan.image {
        Some(image) if gpu => {
            format!("    container:\n      image: \"{image}\"\n      options: --gpus all\n")
        }
        Some(image) => format!("    container:\n      image: \"{image}\"\n"),
        None => String::new(),
    };
    let install = match plan.image {
        Some(_) => "",
        None => {
            "
      # Change this when the checker's source is not in the repository.
      - name: The checker and the CUDA compiler
        run: |
          cargo install --locked --path checker
          checker setup
"
        }
    };
    let write_seed = match has_seed {
        false => "",
        true => {
            "
      - name: The secret seed
        env:
          SEED: ${{ secrets.GRADING_SEED }}
        # In base64: a seed may be any bytes, and a variable may not.
        run: |
          if [ -z \"$SEED\" ]; then
            echo 'no secret GRADING_SEED: base64 -w 0 secret.txt | gh secret set GRADING_SEED' >&2
            exit 2
          fi
          umask 077
          printf '%s' \"$SEED\" | base64 -d >\"$RUNNER_TEMP/seed\"
"
        }
    };
    let remove_seed = match has_seed {
        false => "",
        true => {
            "
      - name: No seed stays on the machine
        if: always()
        run: rm -f \"$RUNNER_TEMP/seed\"
"
        }
    };
    let [command, merge] = [command, merge].map(|text| quote::indent(&text, 10));
    let (grade_in, merge_in) = (container(gpu), container(false));
    let minutes = plan.minutes();
    Ok(format!(
        "# Grades the class. Written by `checker grade --plan actions`; write it again when the class's size changes much.
name: Grade the class

on:
  workflow_dispatch:

permissions:
  contents: read

concurrency:
  group: grade-the-class

defaults:
  run:
    shell: sh

jobs:
  grade:
    runs-on: {runner}
    timeout-minutes: {minutes}
{grade_in}    strategy:
      # One shard that fails ends no other.
      fail-fast: false
{limit}      matrix:
        shard: [
          {shards}
        ]
    steps:
      - uses: actions/checkout@v6
        with:
          persist-credentials: false
{install}{write_seed}
      - name: Grade
        env:
          SHARD: ${{{{ matrix.shard }}}}
        run: |
          rm -rf \"$RUNNER_TEMP/grades\"
{command}
{remove_seed}
      - name: Keep the records
        if: always()
        uses: actions/upload-artifact@v7
        with:
          name: grades-${{{{ matrix.shard }}}}
          path: ${{{{ runner.temp }}}}/grades
          # A shard that runs again replaces its records.
          overwrite: true
          retention-days: 14

  merge:
    needs: grade
    # Shards that failed are listed as missing.
    if: always()
    runs-on: {runner}
    timeout-minutes: 30
{merge_in}    steps:
      - uses: actions/checkout@v6
        with:
          persist-credentials: false
{install}
      - uses: actions/download-artifact@v8
        with:
          pattern: grades-*
          path: ${{{{ runner.temp }}}}/shards

      - name: Merge
        run: |
          rm -rf \"$RUNNER_TEMP/class\"
          # Who was to be graded.
          mkdir -p \"$RUNNER_TEMP/class/plan\"
          cp .github/grade-plan.json \"$RUNNER_TEMP/class/plan/{PLAN}\"
{merge}

      - name: Keep the class's results
        if: always()
        uses: actions/upload-artifact@v7
        with:
          name: class
          path: ${{{{ runner.temp }}}}/class
          overwrite: true
          retention-days: 90
"
    ))
}

/// Numbers with commas, about twenty in a line.
fn wrap(numbers: &[String]) -> String {
    numbers.chunks(20).map(|line| line.join(", ")).collect::<Vec<_>>().join(",\n")
}
