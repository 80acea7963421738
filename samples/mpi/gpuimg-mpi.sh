#!/usr/bin/env bash
# Equalizes a folder of images: each process that mpirun starts takes one shard. Run it again to continue.
# usage: gpuimg-mpi.sh IN_FOLDER OUT_FOLDER [mpirun options, such as -n 4 or --map-by ppr:1:node]
set -uo pipefail

if [ $# -lt 2 ]; then
  sed -n '3s/^# //p' "$0" >&2
  exit 2
fi
in=$1 out=$2
shift 2

# mpirun ends all processes once one process fails. Exit code 1 only means that some images are broken, so it must not
# end the other processes.
mpirun "$@" sh -c '
  manifest=run-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}.jsonl
  gpuimg equalize "$1" "$2" --recursive --shard auto --manifest "$manifest" --resume "$manifest"
  code=$?
  [ $code -eq 1 ] || exit $code
' sh "$in" "$out" || exit
gpuimg report run-*.jsonl
