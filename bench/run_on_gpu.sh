#!/usr/bin/env bash
# Builds and runs the GPU benchmark on a machine without network. docs/performance.md shows the results.
# usage: bench/run_on_gpu.sh [--build-dir DIR] [--out DIR] [--cpu] [--tests] [--sanitize] [--no-bench] [-- OPTION…]
#   --tests     also builds the test suite and runs 'ctest -R cuda' with GPUIMG_REQUIRE_CUDA=1
#   --sanitize  also runs the benchmark's small check under compute-sanitizer's four tools
#   --cpu       also compares the CPU operations with OpenCV, if found
#   --out DIR   folder for gpu_bench.json and the logs (default: the build folder)
# Searches CMAKE_PREFIX_PATH for packages that are not installed. Passes arguments after -- to the benchmark.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/gpu
out=
with_cpu=OFF with_tests=OFF with_sanitizer=OFF with_bench=ON
while [ $# -gt 0 ]; do
  case $1 in
    --build-dir) build=$2; shift ;;
    --out) out=$2; shift ;;
    --cpu) with_cpu=ON ;;
    --tests) with_tests=ON ;;
    --sanitize) with_sanitizer=ON ;;
    --no-bench) with_bench=OFF ;;
    --) shift; break ;;
    -h | --help) sed -n "2,8s/^# \{0,1\}//p" bench/run_on_gpu.sh; exit 0 ;;
    *) printf 'run_on_gpu.sh: unknown option %s; see --help\n' "$1" >&2; exit 2 ;;
  esac
  shift
done
out=${out:-$build}
mkdir -p "$build" "$out"

log=$out/build.log
quietly() {  # quietly COMMAND…: writes its output to the log, and shows it only if COMMAND fails
  "$@" >>"$log" 2>&1 || { tail -n 60 "$log"; exit 1; }
}

: >"$log"
started=$SECONDS
generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
# If packages were unpacked to FOLDER/usr, their .pc files still refer to /usr.
first_prefix=${CMAKE_PREFIX_PATH:-}
first_prefix=${first_prefix%%[:;]*}
if [[ $first_prefix == ?*/usr && -z ${PKG_CONFIG_SYSROOT_DIR:-} ]]; then
  export PKG_CONFIG_SYSROOT_DIR=${first_prefix%/usr}
fi
quietly cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DGPUIMG_CUDA=ON -DGPUIMG_BENCH=ON \
  -DGPUIMG_TESTS=$with_tests -DCMAKE_CUDA_ARCHITECTURES="${CUDAARCHS:-native}"
targets=(gpuimg_gpu_bench)
[ $with_tests = ON ] && targets=(all)
if [ $with_cpu = ON ] && grep -q '^gpuimg_cpu_bench: against' "$log"; then
  targets+=(gpuimg_cpu_bench)
fi
grep -hE '^-- (gpuimg_|CUDA backend)' "$log" | sed 's/^-- //' || true
quietly cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}"
printf 'built in %d s\n' $((SECONDS - started))

status=0
bench=$(find "$build" -name gpuimg_gpu_bench -type f -perm -u+x | head -n 1)
if [ $with_tests = ON ]; then
  GPUIMG_REQUIRE_CUDA=1 ctest --test-dir "$build" -R '[Cc][Uu][Dd][Aa]' --no-tests=error --output-on-failure \
    >"$out/ctest.log" 2>&1 || status=1
  tail -n 25 "$out/ctest.log"
fi
if [ $with_sanitizer = ON ]; then
  for tool in memcheck racecheck initcheck synccheck; do
    if compute-sanitizer --tool "$tool" --error-exitcode 9 "$bench" --check-only --check-size 256x192 \
      >"$out/sanitizer_$tool.log" 2>&1; then
      printf '%s: clean\n' "$tool"
    else
      printf '%s: see %s\n' "$tool" "$out/sanitizer_$tool.log"
      tail -n 12 "$out/sanitizer_$tool.log"
      status=1
    fi
  done
fi
if [ $with_cpu = ON ]; then
  cpu_bench=$(find "$build" -name gpuimg_cpu_bench -type f -perm -u+x | head -n 1)
  [ -z "$cpu_bench" ] || "$cpu_bench" | tee "$out/cpu_bench.txt" || status=1
fi
if [ $with_bench = ON ]; then
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,temperature.gpu --format=csv,noheader || true
  "$bench" --json "$out/gpu_bench.json" "$@" | tee "$out/gpu_bench.txt" || status=1
fi
exit $status
