#!/usr/bin/env bash
# Gradescope runs this script once, as root, when it builds the image of the autograder (Ubuntu 22.04 or 24.04).
set -euo pipefail

root=${AUTOGRADER_ROOT:-/autograder}
bin=${CHECKER_BIN:-/usr/local/bin}
# The folder for the compiler. run_autograder has the same line, so it finds the compiler in each run.
export CUDA_WORKBOOK_CACHE=${CUDA_WORKBOOK_CACHE:-/opt/cuda-workbook}

# Exercises with host code need g++. pip downloads NVIDIA's compiler (195 MB).
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends g++ python3 python3-pip python3-venv

install -m 0755 "$root/source/checker" "$root/source/checker-worker" "$bin"
"$bin/checker" setup
# Writes to the image's build log which limits apply to students' code here.
"$bin/checker" doctor
