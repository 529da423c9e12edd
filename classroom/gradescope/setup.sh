#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image of the autograder (Ubuntu 22.04 or 24.04).
set -euo pipefail

root=${AUTOGRADER_ROOT:-/autograder}
bin=${CHECKER_BIN:-/usr/local/bin}
# The compiler lies where every later run finds it; run_autograder has the same line.
export CUDA_WORKBOOK_CACHE=${CUDA_WORKBOOK_CACHE:-/opt/cuda-workbook}

# g++ for exercises with host code; pip fetches NVIDIA's compiler (195 MB).
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends g++ python3 python3-pip python3-venv

install -m 0755 "$root/source/checker" "$root/source/checker-worker" "$bin"
"$bin/checker" setup
# What is enforced on students' code here: it stands in the image's build log.
"$bin/checker" doctor
