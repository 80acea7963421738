#!/usr/bin/env bash
# Proves the CUDA backend on the GPU of this machine: parity tests, huge images, compute-sanitizer, benchmarks.
# usage: tests/gpu_suite.sh build|pack FOLDER|STEP…     steps: parity huge sanitize bench; several in one call
#   build         configures and compiles into $GPUIMG_SUITE_BUILD (default build/gpu-suite)
#   pack FOLDER   copies the executables and the libraries they need into FOLDER, for a machine without compilers
# environment: GPUIMG_SUITE_PACK (run what `pack` put there), GPUIMG_SUITE_LOGS (where logs go), GPUIMG_SUITE_ARCH
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
build=${GPUIMG_SUITE_BUILD:-build/gpu-suite}
pack=${GPUIMG_SUITE_PACK:-}
logs=${GPUIMG_SUITE_LOGS:-${pack:-$build}/logs}
tests=${pack:-$build/tests/cuda}/gpuimg_cuda_tests
bench=${pack:-$build/bench}/gpuimg_gpu_bench
export GPUIMG_REQUIRE_CUDA=1
[ -n "$pack" ] && export LD_LIBRARY_PATH=$pack/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
failed=()

step() {  # step NAME SECONDS COMMAND…: runs it, keeps its log, says how it went
  local name=$1 limit=$2 started=$SECONDS
  shift 2
  mkdir -p "$logs"
  if timeout "$limit" "$@" >"$logs/$name.log" 2>&1; then
    printf '%-20s ok     %4d s  %s\n' "$name" $((SECONDS - started)) "$(grep -hE 'PASSED|ERROR SUMMARY|RACECHECK SUMMARY' "$logs/$name.log" | tr -s '\n ' ' ')"
  else
    printf '%-20s FAILED %4d s\n' "$name" $((SECONDS - started))
    grep -vE '^$' "$logs/$name.log" | head -n "${GPUIMG_SUITE_SHOWN:-30}" | cut -c1-200 | sed 's/^/    /'
    failed+=("$name")
  fi
}

run_build() {
  step configure 120 cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DGPUIMG_CUDA=ON -DGPUIMG_BENCH=ON \
    -DCMAKE_CUDA_ARCHITECTURES="${GPUIMG_SUITE_ARCH:-native}"
  step compile 3600 cmake --build "$build"
}

run_pack() {  # run_pack FOLDER
  local program library
  mkdir -p "$1/lib"
  for program in "$tests" "$bench" "$build/app/gpuimg"; do
    [ -x "$program" ] || continue
    cp "$program" "$1/"
    ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | grep -vE '/(libc|libm|libgcc_s|libstdc\+\+|libpthread|libdl|librt)\.so' |
      while read -r library; do cp -Lu "$library" "$1/lib/"; done
  done
  du -sh "$1"
}

run_parity() {
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null
  local part
  for part in device=CudaCheck.*:CudaDeviceTest.*:CudaBackends.* exact=CudaExact.* small=CudaParity.Small* \
    edges=CudaParity.Edge* colors=CudaColors.* medium=CudaParity.Medium* \
    special=CudaParity.Constant*:CudaParity.Flat*:CudaParity.Images*:CudaParity.Pitch*; do
    step "parity-${part%%=*}" 120 "$tests" --gtest_filter="${part#*=}" --gtest_brief=1
  done
}

run_huge() { step huge 200 "$tests" --gtest_filter='CudaHuge*' --gtest_brief=1; }

run_sanitize() {
  local tool
  for tool in memcheck racecheck initcheck synccheck; do
    # Memory that the tests poison counts as written: initcheck needs it as it comes.
    step "sanitize-$tool" 150 env GPUIMG_TEST_POISON=$([ $tool = initcheck ] && echo 0 || echo 1) \
      compute-sanitizer --tool "$tool" --error-exitcode 9 "$tests" --gtest_filter='CudaParity.Small*' --gtest_brief=1
  done
}

run_bench() {
  if [ -x "$bench" ]; then
    step bench 300 "$bench"
    cat "$logs/bench.log"
  else
    echo "bench: $bench is not there"
  fi
}

[ $# -gt 0 ] || set -- build parity huge sanitize bench
while [ $# -gt 0 ]; do
  case $1 in
    build | parity | huge | sanitize | bench) "run_$1" ;;
    pack) run_pack "${2:?pack needs a folder}"; shift ;;
    *) echo "gpu_suite.sh: no step '$1'; see its first lines" >&2; exit 2 ;;
  esac
  shift
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "gpu_suite: failed: ${failed[*]}"
  exit 1
fi
echo "gpu_suite: everything passed"
