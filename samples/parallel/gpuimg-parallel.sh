#!/usr/bin/env bash
# Equalizes a folder of images with GNU parallel, one shard at a time on each machine of a list. All machines must see
# the folders under the same names. Run it again to continue.
# usage: gpuimg-parallel.sh IN_FOLDER OUT_FOLDER HOSTS SHARDS [gpuimg options…]
#   HOSTS is a file with one machine per line: a name for ssh, or : for this machine. Use the same SHARDS to continue.
set -uo pipefail

if [ $# -lt 4 ]; then
  sed -n '4,5s/^# //p' "$0" >&2
  exit 2
fi
in=$1 out=$2 hosts=$3 shards=$4
shift 4

# --retries starts a shard again, perhaps on another machine, and the manifest lets the shard continue. Exit code 1
# means that some images are broken; a retry would not change that.
shard() {
  local i=$1
  shift
  gpuimg equalize "$@" --recursive --shard "$i" --manifest "run-${i%/*}.jsonl" --resume "run-${i%/*}.jsonl" || [ $? -eq 1 ]
}
parallel --sshloginfile "$hosts" --jobs 1 --workdir . --retries 4 --joblog parallel.log --quote \
  bash -c "$(declare -f shard); "'shard "$@"' bash {}/"$shards" "$in" "$out" "$@" < <(seq "$shards")
gpuimg report run-*.jsonl
