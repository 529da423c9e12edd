#!/bin/bash
# Records what texture fetches return on a GPU: textures.sh RECORD.txt. Needs nvcc.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# the kernels that fetch; a module with those that query surfaces beside them does not load on an H200
sed '/__global__ void blur/,$d' "$here/../tests/kernels/objects/textures.cu" >"$work/fetches.cu"
nvcc -std=c++17 -arch=native --fmad=false -I"$work" "$here/textures.cu" -o "$work/textures"
"$work/textures" >"$1"
