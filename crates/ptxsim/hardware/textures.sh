#!/bin/bash
# Records the results of texture fetches on a GPU: textures.sh RECORD.txt. Needs nvcc and a GPU.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# only the kernels that fetch, because a module that also has the kernels that query surfaces does not load on an H200
sed '/__global__ void blur/,$d' "$here/../tests/kernels/objects/textures.cu" >"$work/fetches.cu"
nvcc -std=c++17 -arch=native --fmad=false -I"$work" "$here/textures.cu" -o "$work/textures"
"$work/textures" >"$1"
