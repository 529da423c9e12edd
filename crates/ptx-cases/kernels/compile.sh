#!/bin/bash
# Compiles each .cu here to PTX beside it, with nvcc (NVCC=... or the one in PATH). File names are made relative, so that the
# text does not depend on the machine.
set -euo pipefail
cd "$(dirname "$0")"
for source in *.cu; do
  "${NVCC:-nvcc}" -ccbin g++ -O3 -lineinfo --fmad=false -std=c++17 -arch=compute_75 -ptx -o - "$source" |
    sed -E 's#(\.file[[:space:]]+[0-9]+ ").*/#\1#' >"${source%.cu}.ptx"
done
