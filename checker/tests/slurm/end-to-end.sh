#!/bin/bash
# A class of 20 is graded on a real Slurm of three nodes; one node dies while it grades, and one task is cancelled.
#
#   end-to-end.sh [CHECKER]       CHECKER is target/release/checker-tools unless given (`cargo build --release --workspace`)
#
# It needs: apt-get install slurm-wlm munge jq, and a CUDA compiler (`checker setup`). Takes about two minutes.
#
# 1. `checker grade --plan slurm` writes the plan, and its commands are run.
# 2. A node loses its power with a task on it: Slurm requeues the task, which resumes its work.
# 3. A task is cancelled: its students are missing, and the merge lists them and submits their shard again.
# 4. At the end all 20 students have the grades that one machine would give them.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
checker=$(realpath "${1:-target/release/checker-tools}")
slurm=$root/checker/tests/slurm/slurm.sh

fail() {
    printf 'end-to-end.sh: %s\n' "$*" >&2
    exit 1
}
command -v jq >/dev/null || fail "no jq here: apt-get install jq"
[ -x "$checker" ] || fail "no checker at $checker: cargo build --release"

work=$(mktemp -d /tmp/checker-slurm.XXXXXX)
# munged requires that every user can reach its socket.
chmod 0711 "$work"
lab=$work/lab
finish() {
    status=$?
    "$slurm" stop "$lab" || true
    if [ "$status" -eq 0 ]; then rm -rf "$work"; else echo "everything is kept in $work" >&2; fi
}
trap finish EXIT

# The class, in a folder whose name a careless script or Slurm would misread.
class="$work/CUDA '100%' \$(touch pwned) %j"
mkdir -p "$class/submissions"
cd "$class"
echo 'id,name' >roster.csv
head -c 32 /dev/urandom >secret.txt
mapfile -t solutions < <(cd "$root/solutions" && find ch01_threads -name '*.cu' | sort)
for n in $(seq -w 1 20); do
    student=student$n
    echo "$student,\"Student, Number $n\"" >>roster.csv
    i=0
    for file in "${solutions[@]}"; do
        i=$((i + 1))
        mkdir -p "submissions/$student/exercises/$(dirname "$file")"
        # Students solve different exercises, so the grades differ.
        if [ $(((10#$n + i) % 3)) -eq 0 ]; then from=$root/checker/proof/originals; else from=$root/solutions; fi
        cp "$from/$file" "submissions/$student/exercises/$file"
    done
done
grade=(grade --roster=roster.csv --seed-file=secret.txt --backend=sim)

"$slurm" start "$lab"
eval "$("$slurm" env "$lab")"

"$checker" "${grade[@]}" --out=results --plan=slurm submissions
shards=$(jq .shards results/plan/plan.json)
[ "$shards" -ge 4 ] || fail "with $shards shards and three nodes, none waits"
sh results/plan/submit.sh
array=$(squeue -h -r -n checker-grade -o %F | sort -u)

# The last task waits for a node: it is cancelled. Its students will be missing.
scancel "${array}_$shards"
# node2 dies as soon as it grades.
for _ in $(seq 100); do
    victim=$(squeue -h -n checker-grade -t R -w node2 -o %K)
    [ -z "$victim" ] || break
    sleep 0.1
done
[ -n "$victim" ] || fail "no task ran on node2: $(squeue)"
sleep 1
"$slurm" crash "$lab" node2
echo "node2 died with task $victim on it; task $shards was cancelled"

for _ in $(seq 600); do
    [ -n "$(squeue -h)" ] || break
    sleep 1
done
[ -z "$(squeue -h)" ] || fail "jobs are left: $(squeue)"

# What happened is what was to be tried: a task was requeued, and the merge submitted one shard again.
scontrol show job "${array}_$victim" | grep -q 'Restarts=1' || fail "task $victim was not requeued"
scontrol show job "${array}_$victim" | grep -q 'JobState=COMPLETED' || fail "task $victim did not end well"
first=$(find results/plan/logs -name 'merge-*.log' | sort -t- -k3 -V | head -1)
cat "$first"
missing=$(grep -c "^missing: .*(shard $shards/$shards)" "$first") || fail "the first merge listed no missing student"
[ "$missing" -eq "$(grep -c '^missing' "$first")" ] || fail "others than shard $shards were missing"
grep -q '^submitted:' "$first" || fail "the first merge did not submit what was missing"
[ "$(find results/plan/logs -name 'merge-*.log' | wc -l)" -eq 2 ] || fail "there were not two merges"

"$checker" merge --roster=roster.csv --out=results -- results | tee "$work/merge.txt"
grep -q '20 of 20 students are graded' "$work/merge.txt"
[ "$(find results/records -name '*.json' | wc -l)" -eq 20 ]
[ -z "$(find "$work" -name pwned)" ] || fail "a folder's name was obeyed"

# One machine, no shards.
"$checker" "${grade[@]}" --out=alone submissions >/dev/null
grades() { jq -r '[.student.id, .score.points, .score.complete] | @tsv' "$1"/records/*.json | sort; }
diff <(grades results) <(grades alone) || fail "the grades differ from those of one machine"
grades results | grep -c true | grep -qx 20
echo "end-to-end.sh: 20 of 20, the same as on one machine; $missing were graded by the second array"
