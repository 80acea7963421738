#!/usr/bin/env bash
# Measures a batch with several numbers of workers, on the CPU and on CUDA: images per second, CPU time ÷ wall time, peak
# memory, and time per phase. Needs bash, coreutils and python3 without packages.
# usage: bench/batch_on_gpu.sh GPUIMG IMAGE_FOLDER [WORKERS…]     numbers of workers [1 4 16]
# environment [default]: BACKENDS ["cpu cuda"], OPERATION ["equalize"], ROUNDS [3], SCRATCH (folder for the outputs)
set -uo pipefail

if [ $# -lt 2 ]; then
  sed -n '4,5s/^# //p' "$0" >&2
  exit 2
fi
gpuimg=$(realpath "$1") images=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- 1 4 16
scratch=$(mktemp -d "${SCRATCH:-${TMPDIR:-/tmp}}/gpuimg-batch.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# Runs a command and prints wall seconds, CPU seconds, peak MB and exit code.
measure() {
  python3 - "$@" <<'PYTHON'
import os, subprocess, sys, time
begun = time.monotonic()
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(f"{time.monotonic() - begun:.3f} {usage.ru_utime + usage.ru_stime:.3f} {usage.ru_maxrss / 1000:.0f}",
      os.waitstatus_to_exitcode(status))
PYTHON
}

# Reads the manifests and measurements (wall CPU peak) of the rounds, and prints the table line of the median round.
summarize() {  # summarize LABEL
  python3 - "$1" "$scratch" <<'PYTHON'
import collections, glob, json, sys
label, scratch = sys.argv[1:]
rounds = sorted(tuple(map(float, line.split()[:3])) for line in open(f"{scratch}/measured"))
wall, cpu, peak = rounds[len(rounds) // 2]
done, phases = 0, collections.Counter()
for line in open(f"{scratch}/run.jsonl"):
    item = json.loads(line)
    if item.get("status") == "done":
        done += 1
        phases.update({name: value for name, value in item["ms"].items() if name != "total"})
shares = "  ".join(f"{name} {value / done:.1f}" for name, value in phases.items() if done and value / done >= 0.05)
spread = f"{done / rounds[-1][0]:.1f}-{done / rounds[0][0]:.1f}"
print(f"| {label} | {done} | {done / wall:.1f} | {spread} | {cpu / wall:.2f} | {peak:.0f} | {shares} |", flush=True)
PYTHON
}

run_round() {  # run_round BACKEND WORKERS
  rm -rf "$scratch/out" "$scratch/run.jsonl"
  measure "$gpuimg" "${OPERATION:-equalize}" "$images" "$scratch/out" --recursive -q --backend "$1" --jobs "$2" \
    --manifest "$scratch/run.jsonl" >"$scratch/round"
  cat "$scratch/round" >>"$scratch/measured"
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null
"$gpuimg" --version | head -n 1
printf '%s cores; %s files\n\n' "$(nproc)" "$(find "$images" -type f | wc -l)"
find "$images" -type f -exec cat {} + >/dev/null  # warms the page cache, so that all runs start alike
printf '| backend, workers | images | images/s | rounds | CPU/wall | peak MB | ms per image |\n|---|---:|---:|---|---:|---:|---|\n'
failed=0
for backend in ${BACKENDS:-cpu cuda}; do
  for workers in "$@"; do
    : >"$scratch/measured"
    for ((round = 0; round < ${ROUNDS:-3}; round++)); do
      run_round "$backend" "$workers"
      read -r _ _ _ status <"$scratch/round"
      [ "$status" -le 1 ] || break  # 1: some files are not images
    done
    if [ "$status" -gt 1 ]; then
      printf '| %s, %s | exit %s | | | | | |\n' "$backend" "$workers" "$status"
      failed=1
      continue
    fi
    summarize "$backend, $workers"
  done
done
exit $failed
