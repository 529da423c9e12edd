#!/bin/bash
# Records the counters of Nsight Compute for every launch in `ptx-cases`.
#
#     counters.sh RECORD.tsv [PROGRAM]
#
# PROGRAM is the checker's example program `hardware`; by default target/release/examples/hardware. Needs `ncu` with its
# Python module, and a GPU whose counters you may read (otherwise the profiler reports ERR_NVGPUCTRPERM). DUMP=FILE also
# writes every machine instruction with its counts to FILE.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
record=$1
program=${2:-target/release/examples/hardware}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# exact: software counters, which the profiler patches into the machine code
# hardware: the L1 cache's own counters, as a cross-check
exact=$(printf ',smsp__sass_%s.sum' inst_executed thread_inst_executed branch_targets \
  branch_targets_threads_divergent inst_executed_op_{global_{ld,st,atom,red},shared_{ld,st,atom},local_{ld,st}} \
  l1tex_t_sectors_pipe_lsu_mem_global_op_{ld,st,atom,red} l1tex_t_sectors_pipe_lsu_mem_local_op_{ld,st} \
  l1tex_tags_mem_global l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{ld,st,atom})
hardware=$(printf ',l1tex__%s.sum' t_sectors_pipe_lsu_mem_global_op_{ld,st} \
  data_pipe_lsu_wavefronts_mem_shared_op_{ld,st,atom} data_bank_conflicts_pipe_lsu_mem_shared_op_{ld,st,atom})

"$program" launches --list >"$work/launches"
ncu --clock-control none --section SourceCounters --metrics "${exact#,}$hardware" --force-overwrite \
  --export "$work/report" "$program" launches >"$work/log" || { tail -20 "$work/log"; exit 1; }
tail -3 "$work/log"
module=$(find "$(dirname "$(readlink -f "$(command -v ncu)")")" /opt/nvidia /usr/local/cuda* -name ncu_report.py 2>/dev/null | head -1)
{
  echo "# GPU: $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)"
  echo "# driver: $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1)"
  echo "# CUDA: $(nvidia-smi | sed -n 's/.*CUDA Version: *\([0-9.]*\).*/\1/p')"
  echo "# Nsight Compute: $(ncu --version | sed -n 's/^Version \([0-9.]*\).*/\1/p')"
  PYTHONPATH=$(dirname "$module") python3 "$here/counters.py" "$work/report.ncu-rep" "$work/launches" ${DUMP:-}
} >"$record"
