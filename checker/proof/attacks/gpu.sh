#!/usr/bin/env bash
# Tries every attack with `// gpu: yes` on a GPU: bash gpu.sh CHECKER [FOLDER]
#
# Needs the checker's binary, this folder, a GPU, and a compiler (`checker setup`). One line each; exit code 1 when a verdict
# is not the one expected, or when an honest file does not pass between two attacks.
set -uo pipefail

checker=$(realpath "${1:?usage: bash gpu.sh CHECKER}")
folder=$(realpath "${2:-$(dirname "$0")}")
scene=$(mktemp -d)
trap 'rm -rf "$scene"' EXIT
secret="canary-$RANDOM$RANDOM$RANDOM"
mkdir -p "$scene/submissions/grace/exercises/ch02_memory" "$scene/results" "$scene/runs"
for file in secret.txt results/grace.json submissions/grace/exercises/ch02_memory/roundtrip.cu; do
    echo "// $secret" >"$scene/$file"
done
export WORKBOOK_SECRET=$secret NO_COLOR=1

key() { sed -n "s|^// $2: ||p" "$1" | head -1; }

# verdict of FILE as EXERCISE into $slug, what was said into $said
check() {
    said=$(timeout -s KILL 180 "$checker" check "$1" --file "$2" --backend gpu --sandbox require --format json 2>&1 </dev/null)
    code=$?
    slug=$(grep -o '"slug":"[a-z-]*"' <<<"$said" | head -1 | cut -d'"' -f4)
}

cat >"$scene/runs/honest.cu" <<'HONEST'
extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
HONEST

failed=0 tried=0
check blocks "$scene/runs/honest.cu"
if [ "$slug" != passed ]; then
    echo "an honest kernel does not pass here: $said"
    exit 1
fi
"$checker" doctor | grep -E 'GPU|sandbox'
for file in "$folder"/*.cu; do
    [ "$(key "$file" gpu)" = yes ] || continue
    name=$(basename "$file" .cu)
    expected=$(key "$file" expect-gpu)
    expected=${expected:-$(key "$file" expect)}
    sed -e "s|@CANARY@|$scene|g; s|@COURSE@|$scene|g; s|@CACHE@|$scene|g" "$file" >"$scene/runs/$name.cu"
    started=$(date +%s%N)
    check "$(key "$file" exercise)" "$scene/runs/$name.cu"
    took=$((($(date +%s%N) - started) / 1000000))
    mark=ok
    case " or $expected or " in *" or $slug or "*) ;; *) mark=DIFFERS ;; esac
    grep -qF "$secret" <<<"$said" && mark=LEAKS
    [ "$code" -le 1 ] || mark="EXIT-$code"
    second=$(sed -n 's/.*\(the GPU[^"]*\)".*/\1/p' <<<"$said" | head -1 | cut -c1-120)
    printf '%-8s %-22s %-20s %6d ms  %s\n' "$mark" "$name" "${slug:-none}" "$took" "$second"
    if [ "$mark" != ok ]; then
        echo "         expected $expected: $(cut -c1-300 <<<"$said" | head -3)"
        failed=$((failed + 1))
    fi
    tried=$((tried + 1))
    check blocks "$scene/runs/honest.cu"
    if [ "$slug" != passed ]; then
        echo "         an honest kernel does not pass any more: $(cut -c1-300 <<<"$said")"
        failed=$((failed + 1))
    fi
done
for made in "$scene/made" /tmp/made-by-an-attack; do
    if [ -e "$made" ]; then
        echo "$made was made"
        failed=$((failed + 1))
    fi
done
echo "$tried attacks, $failed not as expected"
[ "$tried" -gt 0 ] && [ "$failed" = 0 ]
