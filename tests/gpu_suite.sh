#!/usr/bin/env bash
# Builds everything with CUDA and proves it on the GPU of this machine: parity tests, compute-sanitizer, benchmarks.
# Needs no network beyond an installed toolchain.    usage: tests/gpu_suite.sh [STEP…]
#   steps: build parity huge sanitize bench; all in this order when none is named
# environment: GPUIMG_SUITE_BUILD (build folder), GPUIMG_SUITE_LOGS (where logs go), GPUIMG_SUITE_ARCH (default native)
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
build=${GPUIMG_SUITE_BUILD:-build/gpu-suite}
logs=${GPUIMG_SUITE_LOGS:-$build/logs}
mkdir -p "$logs"
export GPUIMG_REQUIRE_CUDA=1
failed=()

step() {  # step NAME COMMAND…: runs it, keeps its log, says how it went
  local name=$1 started=$SECONDS
  shift
  if "$@" >"$logs/$name.log" 2>&1; then
    printf '%-28s ok       %4d s\n' "$name" $((SECONDS - started))
  else
    printf '%-28s FAILED   %4d s   %s\n' "$name" $((SECONDS - started)) "$logs/$name.log"
    tail -n 25 "$logs/$name.log" | sed 's/^/    /'
    failed+=("$name")
  fi
}

tests=$build/tests/cuda/gpuimg_cuda_tests

run_build() {
  step configure cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DGPUIMG_CUDA=ON -DGPUIMG_BENCH=ON \
    -DCMAKE_CUDA_ARCHITECTURES="${GPUIMG_SUITE_ARCH:-native}"
  step compile cmake --build "$build"
}

run_parity() {
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null
  step parity timeout 240 "$tests" --gtest_filter='-CudaHuge*' --gtest_brief=1
}

run_huge() { step huge timeout 240 "$tests" --gtest_filter='CudaHuge*' --gtest_brief=1; }

run_sanitize() {
  local tool
  for tool in memcheck racecheck initcheck synccheck; do
    step "sanitize-$tool" timeout 200 compute-sanitizer --tool "$tool" --error-exitcode 9 "$tests" \
      --gtest_filter='CudaParity.Small*' --gtest_brief=1
  done
}

run_bench() {
  if [ -x "$build/bench/gpu_bench" ]; then
    step bench timeout 400 "$build/bench/gpu_bench"
    cat "$logs/bench.log"
  else
    echo "bench: $build/bench/gpu_bench is not built"
  fi
}

for name in "${@:-all}"; do
  case $name in
    build | parity | huge | sanitize | bench) "run_$name" ;;
    all) run_build && run_parity && run_huge && run_sanitize && run_bench ;;
    *) echo "gpu_suite: no step '$name'" >&2; exit 2 ;;
  esac
done

if [ ${#failed[@]} -gt 0 ]; then
  echo "gpu_suite: failed: ${failed[*]}"
  exit 1
fi
echo "gpu_suite: everything passed"
