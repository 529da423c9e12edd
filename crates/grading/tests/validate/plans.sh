#!/bin/sh
# Every file of every plan, read by what will read it: sh plans.sh
#
#   shells            bash -n and dash -n; shellcheck; the commands inside manifests and workflows are shell scripts, too
#   GNU parallel      runs its plan for real, with a task that fails, a run that is repeated, and GPU slots
#   GitHub Actions    GitHub's schema of workflows (check-jsonschema) and actionlint; the steps that grade are run
#   Kubernetes        kubectl's own decoder and the API's schema (kubernetes-validate --strict); the command is run
#   Slurm             shells only: checker/tests/slurm/end-to-end.sh has a real one
#
# Names in these plans hold quotes, blanks, `$(...)`, `%j` and more; each engine's command must arrive word for word.
# `.ci/tools` installs or names what it needs; kubectl 1.32 or newer is at https://kubernetes.io/docs/tasks/tools/
set -eu
cd -- "$(dirname -- "$0")/../../../.."
root=$PWD
TOOLS=${TOOLS:-$root/target/validate}
PATH=$TOOLS/bin:$PATH
export PATH

fail() {
    printf 'plans.sh: %s\n' "$*" >&2
    exit 1
}
need() { command -v "$1" >/dev/null || fail "no $1 here: $2"; }
for tool in parallel shellcheck dash bash node check-jsonschema kubernetes-validate; do need "$tool" .ci/tools; done
need kubectl "https://kubernetes.io/docs/tasks/tools/"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
plans=$work/plans
cargo build --quiet --release --workspace --example plans
# A checker that writes down how it was called, and cannot grade shard 2 until `bad` is removed.
mkdir "$work/bin"
cat >"$work/bin/checker" <<'CHECKER'
#!/bin/sh
set -eu
name=merge
for word in "$@"; do
    case $word in
    --shard=*) name=${word#--shard=} && name=${name%/*} ;;
    esac
done
{ printf '%s\n' "$PWD" && printf '%s\0' "$@"; } >"$CALLS/$name"
printf '%s %s\n' "$name" "${CUDA_VISIBLE_DEVICES-none}" >>"$CALLS/log"
[ "$name" != 2 ] || [ ! -e "$CALLS/bad" ] || exit 3
CHECKER
chmod +x "$work/bin/checker"
"$root/target/release/examples/plans" "$plans" "$work/bin/checker"

echo "== shells"
# What containers and runners start with `sh` stands in YAML.
"$TOOLS/bin/python" - "$plans" <<'PYTHON'
import pathlib, sys
from ruamel.yaml import YAML
for path in pathlib.Path(sys.argv[1]).rglob("*.y*ml"):
    for document in YAML(typ="safe").load_all(path.read_text()):
        if "jobs" in document:
            for name, job in document["jobs"].items():
                runs = [step["run"] for step in job["steps"] if "run" in step]
                for i, run in enumerate(runs):
                    path.with_name(f"{path.stem}-{name}-{i}.sh").write_text("#!/bin/sh\nset -e\n" + run)
        elif document["kind"] == "Job":
            container = document["spec"]["template"]["spec"]["containers"][0]
            assert container["command"] == ["/bin/sh", "-c"], container
            (script,) = container["args"]
            # As the kubelet reads it: `$$` is `$`, and nothing else is replaced.
            assert "$(" not in script.replace("$$", ""), script
            path.with_name(f"{path.stem}-pod.sh").write_text("#!/bin/sh\n" + script.replace("$$", "$"))
PYTHON
find "$plans" -type f \( -name '*.sh' -o -name '*.sbatch' \) >"$work/scripts"
count=0
while IFS= read -r script; do
    bash -n "$script"
    dash -n "$script"
    # SC2016: words in single quotes that look like expansions are these plans' point.
    shellcheck --shell=sh --exclude=SC2016 "$script"
    count=$((count + 1))
done <"$work/scripts"
[ "$count" -ge 36 ] || fail "only $count scripts were found"

# Compares what the checker was called with: `called FILE FOLDER WORD...`.
called() {
    file=$1
    shift
    { printf '%s\n' "$1" && shift && printf '%s\0' "$@"; } >"$work/expected"
    cmp "$work/expected" "$CALLS/$file" || fail "$file was called with $(tr '\0' '|' <"$CALLS/$file")"
}
graded() { # FILE FOLDER SEED OUT SHARD
    called "$1" "$2" grade '--roster=roster \ $(touch pwned).csv' --policy=grading.toml "--seed-file=$3" "--out=$4" \
        --jobs=2 --backend=sim "--shard=$5" -- "hand-ins of 'week 1'; \$(touch pwned)" -n
}
# The folder with the bad name.
folder() { find "$plans/$1" -mindepth 1 -maxdepth 1 -type d; }
calls() { CALLS=$work/calls-$1 && export CALLS && mkdir "$CALLS"; }

echo "== GNU parallel"
here=$(folder parallel)
calls parallel
touch "$CALLS/bad"
sh "$here/out \$x/plan/run.sh" 2>"$work/err"
[ "$(sort -n "$CALLS/log" | cut -d' ' -f1 | tr '\n' ' ')" = "merge 1 2 2 3 4 5 6 7 " ] || fail "shards: $(cat "$CALLS/log")"
for n in 1 2 3 4 5 6 7; do graded "$n" "$here" "secret's.txt" 'out $x' "$n/7"; done
called merge "$here" merge '--roster=roster \ $(touch pwned).csv' '--out=out $x' -- 'out $x'
rm "$CALLS/bad" "$CALLS/log"
sh "$here/out \$x/plan/run.sh"
[ "$(tr '\n' ' ' <"$CALLS/log")" = "2 none merge none " ] || fail "run again: $(cat "$CALLS/log")"
rm "$CALLS/log"
sh "$here/out \$x/plan/retry.sh"
[ "$(sort "$CALLS/log" | tr '\n' ' ')" = "2 none 3 none 5 none merge none " ] || fail "retry: $(cat "$CALLS/log")"
calls gpu
sh "$(folder parallel-gpu)/out \$x/plan/run.sh"
[ "$(grep -c ' [012]$' "$CALLS/log")" = 7 ] || fail "GPU slots: $(cat "$CALLS/log")"

echo "== Slurm"
here=$(folder slurm)
calls slurm
SLURM_ARRAY_TASK_ID=3 sh "$here/out \$x/plan/grade.sbatch" 4
graded 7 "$here" "secret's.txt" 'out $x' 7/7
! sh "$here/out \$x/plan/shard.sh" '1; touch pwned' 2>/dev/null || fail "shard.sh took a shard that is none"

echo "== GitHub Actions"
for kind in actions actions-gpu; do
    workflow=$(folder "$kind")/out\ \$x/plan/grade.yml
    .ci/workflows "$workflow"
done
here=$(folder actions)
calls actions
mkdir -p "$work/runner/shards/grades-1" "$work/runner/shards/grades-2"
steps=$here/out\ \$x/plan
(
    cd "$here"
    export PATH="$work/bin:$PATH" RUNNER_TEMP="$work/runner" SHARD=3 SEED
    head -c 64 /dev/urandom >"$work/seed"
    SEED=$(base64 -w 0 "$work/seed")
    grep -l 'base64 -d' "$steps"/grade-grade-*.sh | while IFS= read -r step; do sh "$step"; done
    mkdir -p .github && cp "$steps/plan.json" .github/grade-plan.json
    cmp "$work/seed" "$work/runner/seed"
    [ "$(stat -c %a "$work/runner/seed")" = 600 ]
    grep -l 'checker grade' "$steps"/grade-grade-*.sh | while IFS= read -r step; do sh "$step"; done
    grep -l 'checker merge' "$steps"/grade-merge-*.sh | while IFS= read -r step; do sh "$step"; done
)
graded 3 "$here" "$work/runner/seed" "$work/runner/grades" 3/7
called merge "$here" merge '--roster=roster \ $(touch pwned).csv' "--out=$work/runner/class" -- "$work/runner/class" \
    "$work/runner/shards/grades-1" "$work/runner/shards/grades-2"

echo "== Kubernetes"
for kind in kubernetes kubernetes-gpu; do
    plan=$(folder "$kind")/out\ \$x/plan
    for manifest in grade.yaml merge.yaml; do
        # The client's own types read it; a cluster is not asked.
        (cd "$plan" && kubectl label --local -f "$manifest" -o json checked=yes) >"$work/decoded.json"
        grep -q '"checked": "yes"' "$work/decoded.json"
        kubernetes-validate --strict --quiet "$plan/$manifest"
    done
done
here=$(folder kubernetes)
calls kubernetes
sed "s|^cd /class$|cd \"\$CLASS\"|" "$here/out \$x/plan/grade-pod.sh" >"$work/pod.sh"
CLASS=$here JOB_COMPLETION_INDEX=4 PATH=$work/bin:$PATH sh "$work/pod.sh"
graded 5 "$here" /seed/seed 'out $x' 5/7
# run.sh against a cluster that needs two looks at each Job, and whose merge says that a student is missing.
cat >"$work/bin/kubectl" <<'KUBECTL'
#!/bin/sh
echo "$1 $2 $3" >>"$CALLS/kubectl"
case "$*" in
*succeeded*) echo "${SUCCEEDED-}" ;;
'get job'*) if [ -e "$CALLS/$3" ]; then echo "FailureTarget Failed"; else : >"$CALLS/$3" && echo SuccessCriteriaMet; fi ;;
esac
KUBECTL
printf '#!/bin/sh\n' >"$work/bin/sleep"
chmod +x "$work/bin/kubectl" "$work/bin/sleep"
status=0
PATH=$work/bin:$PATH sh "$here/out \$x/plan/run.sh" || status=$?
[ "$status" -eq 3 ] || fail "run.sh ended with $status although a student is missing"
SUCCEEDED=1 PATH=$work/bin:$PATH sh "$here/out \$x/plan/run.sh"
[ "$(grep -c '^apply -f merge.yaml' "$CALLS/kubectl")" = 2 ] || fail "run.sh: $(cat "$CALLS/kubectl")"

[ -z "$(find "$plans" "$work" "$root" -maxdepth 6 -name pwned -not -path '*/node_modules/*' | head -1)" ] || fail "a name was obeyed"
echo "plans.sh: all plans are read as they were meant"
