#!/usr/bin/env bash
# Tries everything in classroom/: the scripts are read by shellcheck, the workflows compared with their schemas, and what they
# run is run, in folders that look like the platforms' own, with the checker that is given.
#
#   checker/tests/classroom/run.sh [CHECKER]        default: target/release/checker-tools
#
# Needs Python 3 with venv and pip (which fetches what validates), a C++ compiler and `checker setup`. Nothing is skipped: what
# cannot be tried fails.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
checker=$(realpath "${1:-$root/target/release/checker-tools}")
[ -x "$checker" ] || { echo "no checker at $checker: cargo build --release --workspace" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { printf '== %s\n' "$*"; }
fail() { printf 'failed: %s\n' "$*" >&2; exit 1; }

tools=${TOOLS:-$root/target/validate}
[ -x "$tools/bin/check-jsonschema" ] || fail "tools are missing: run .ci/tools first"
python=$tools/bin/python
cd "$root"

step "scripts"
shellcheck classroom/gradescope/setup.sh classroom/gradescope/run_autograder "$here/run.sh"
bash -n classroom/gradescope/setup.sh
bash -n classroom/gradescope/run_autograder
"$python" - classroom/classroom50/autograder.py <<'END'
import ast, sys
ast.parse(open(sys.argv[1]).read())
END

step "workflows"
"$tools/bin/check-jsonschema" --builtin-schema vendor.github-workflows classroom/github/*.yml
"$tools/bin/check-jsonschema" --builtin-schema vendor.gitlab-ci classroom/gitlab/gitlab-ci.yml
"$python" "$here/steps.py" "$work/steps" classroom/github/check.yml classroom/github/check-gpu.yml classroom/gitlab/gitlab-ci.yml
shellcheck --shell=bash "$work"/steps/*/*.sh

step "schemas"
"$tools/bin/check-jsonschema" --check-metaschema classroom/example/policy.schema.json classroom/example/by-hand.schema.json
"$tools/bin/check-jsonschema" --schemafile classroom/example/policy.schema.json classroom/example/grading.toml

step "one student: a solution, a wrong kernel, the file as handed out, and something else"
submission=$work/submission
mkdir -p "$submission/exercises/ch01_threads"
cp solutions/ch01_threads/double_it.cu exercises/ch01_threads/blocks.cu "$submission/exercises/ch01_threads"
"$checker" dev mutant guard/less_or_equal --out "$submission/exercises/ch01_threads/guard.cu"
echo 'not an exercise' >"$submission/notes.txt"
git -C "$submission" init --quiet
git -C "$submission" -c user.name=Ada -c user.email=ada@example.org add --all
GIT_COMMITTER_DATE=2026-10-02T20:00:00-07:00 \
    git -C "$submission" -c user.name=Ada -c user.email=ada@example.org commit --quiet --message 'Week 1'
head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$work/secret.txt"

step "Gradescope"
autograder=$work/autograder
mkdir -p "$autograder"/{source,results,bin}
cp -r "$submission" "$autograder/submission"
cp classroom/gradescope/* classroom/example/grading.toml "$work/secret.txt" "$autograder/source"
cp "$checker" "$autograder/source/checker"
cp "$(dirname "$checker")/checker-worker" "$autograder/source"
cat >"$autograder/submission_metadata.json" <<'END'
{"id": 123456, "created_at": "2026-10-02T20:00:00.365935-07:00", "submission_method": "upload",
 "assignment": {"id": 25828, "course_id": 1234, "title": "Week 1", "total_points": "40.0",
                "due_date": "2026-10-02T23:59:00.000000-07:00", "late_due_date": null,
                "release_date": "2026-09-25T09:00:00.000000-07:00", "group_size": null, "group_submission": false},
 "users": [{"id": 1, "email": "ada@example.org", "name": "Ada Lovelace"}], "previous_submissions": []}
END
# apt-get is not for tests to call; that it is asked for a compiler is.
printf '#!/bin/sh\necho "$@" >>"%s"\n' "$work/apt.log" >"$autograder/bin/apt-get"
chmod +x "$autograder/bin/apt-get"
in_gradescope() {
    PATH=$autograder/bin:$PATH AUTOGRADER_ROOT=$autograder CHECKER_BIN=$autograder/bin \
        CUDA_WORKBOOK_CACHE=${CUDA_WORKBOOK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cuda-workbook} "$@"
}
in_gradescope bash "$autograder/source/setup.sh" >"$work/setup.log" 2>&1 || fail "$(cat "$work/setup.log")"
grep -q 'g++' "$work/apt.log" || fail "setup.sh installs no C++ compiler"
cp "$autograder/source/run_autograder" "$autograder/run_autograder"
in_gradescope "$autograder/run_autograder" >"$work/gradescope.log" 2>&1 || fail "$(cat "$work/gradescope.log")"
"$python" "$here/validate.py" gradescope "$autograder/results/results.json"
if grep -qF "$(cat "$work/secret.txt")" "$autograder/results/results.json" "$work/gradescope.log"; then
    fail "the secret seed is in what Gradescope shows"
fi

step "Gradescope, when the files lie deeper"
mv "$autograder/submission" "$work/deeper"
mkdir -p "$autograder/submission/week 1"
mv "$work/deeper" "$autograder/submission/week 1/mine"
in_gradescope "$autograder/run_autograder" >"$work/gradescope.log" 2>&1 || fail "$(cat "$work/gradescope.log")"
"$python" "$here/validate.py" gradescope "$autograder/results/results.json"

step "Gradescope, when nothing can be graded: the student sees why"
mv "$autograder/submission" "$work/kept"
mkdir "$autograder/submission"
echo 'not an exercise' >"$autograder/submission/notes.txt"
in_gradescope "$autograder/run_autograder" >"$work/gradescope.log" 2>&1 || fail "$(cat "$work/gradescope.log")"
"$python" "$here/validate.py" refused "$autograder/results/results.json"
rm -r "$autograder/submission"
mv "$work/kept" "$autograder/submission"

step "Gradescope, when the machine fails: no result"
rm "$autograder/results/results.json"
printf '#!/bin/sh\nexit 3\n' >"$autograder/bin/checker"
if in_gradescope "$autograder/run_autograder" >"$work/gradescope.log" 2>&1; then
    fail "run_autograder ends well although nothing was graded"
fi
[ ! -e "$autograder/results/results.json" ] || fail "a result although nothing was graded"

step "Classroom 50"
mkdir "$work/bundle"
cp classroom/classroom50/autograder.py classroom/example/grading.toml "$work/bundle"
"$python" - "$checker" "$work/bundle/checker.tar.xz" <<'END'
import pathlib, sys, tarfile
checker = pathlib.Path(sys.argv[1])
with tarfile.open(sys.argv[2], "w:xz", preset=0) as target:
    target.add(checker, "checker")
    target.add(checker.with_name("checker-worker"), "checker-worker")
END
cp -r "$submission" "$work/checkout"
(
    cd "$work/checkout"
    # A name that leads elsewhere is replaced and not followed.
    ln -s "$work/elsewhere" result.json
    CLASSROOM=cs149 ASSIGNMENT=week1 USERNAME=ada MODE=individual SUBMISSION_TAG=submit/2026-10-03T03-00-05Z-a1b2c3d \
        COMMIT_URL=https://example.org/c RELEASE_URL=https://example.org/r REVIEW_URL=https://example.org/v \
        python3 "$work/bundle/autograder.py" >"$work/classroom50.log"
)
[ ! -e "$work/elsewhere" ] || fail "the autograder wrote through a link"
"$python" "$here/validate.py" classroom50 "$work/checkout/result.json"
[ -s "$work/checkout/release-body.md" ] || fail "no release body"

step "GitHub"
workspace=$work/github
mkdir -p "$workspace/tools/bin" "$workspace/class" "$work/runner" "$work/path"
cp -r "$submission" "$workspace/class/ada"
ln -s "$checker" "$workspace/tools/bin/checker"
ln -s "$checker" "$work/path/checker"
cp classroom/example/grading.toml "$workspace/tools"
in_github() {
    (
        cd "$workspace"
        GITHUB_WORKSPACE=$workspace GITHUB_REPOSITORY=cs149/ada GITHUB_STEP_SUMMARY=$work/summary.md RUNNER_TEMP=$work/runner \
            PATH=$work/path:$PATH bash --noprofile --norc -eo pipefail "$work/steps/check/$1.sh"
    )
}
in_github Check >"$work/github.log"
in_github Report >"$work/annotations.txt"
"$python" "$here/validate.py" github "$work/github.log" "$work/annotations.txt" "$work/summary.md"
if in_github 'All-points' >>"$work/github.log"; then
    fail "the job is green although points are missing"
fi
[ -s "$work/runner/report.html" ] || fail "no page"

step "GitLab"
mkdir "$work/gitlab"
cp -r "$submission" "$work/gitlab/ada"
if (
    cd "$work/gitlab/ada"
    CI_PROJECT_DIR=$PWD CI_PROJECT_PATH_SLUG=cs149-ada CI_COMMIT_TIMESTAMP=2026-10-02T20:00:00-07:00 \
        PATH=$work/path:$PATH bash -eo pipefail "$work/steps/gitlab-ci/script.sh" >"$work/gitlab.log"
); then
    fail "the job is green although points are missing"
fi
"$python" "$here/validate.py" gitlab "$work/gitlab/ada/report.xml" "$work/gitlab/ada/gl-code-quality-report.json"

step "the example of a class"
mkdir -p "$work/class/hand-ins"
cp -r "$submission" "$work/class/hand-ins/ada"
(
    cd "$work/class"
    grade() {
        "$checker" grade hand-ins/ada --policy "$root/classroom/example/grading.toml" \
            --roster "$root/classroom/example/roster.csv" --seed-file "$work/secret.txt" --out results "$@" \
            >"$work/class.log" 2>&1
    }
    # Its due date has passed, so without a time the class would get no points.
    if grade; then exit 1; fi
    grep -q "no time is known for 1 of 1 submissions" "$work/class.log"
    grade --submitted-at 2026-10-02T20:00:00-07:00
    grep -q "1 graded" "$work/class.log"
)

echo "classroom/ works"
