#!/usr/bin/env bash
# Tests the CUDA backend on the GPU of this machine. usage: tests/gpu_suite.sh build|pack FOLDER|STEP…
#   build         configures and compiles into $GPUIMG_SUITE_BUILD (default build/gpu-suite)
#   pack FOLDER   copies the executables and the libraries they need into FOLDER, for a machine without compilers
# Steps; one call can run several:
#   all           every test of ctest; a missing device is a failure
#   parity huge   both backends return the same bytes; images above 2³¹ pixels
#   files         both backends write the same files, for samples/ and the PNG and JPEG files of $GPUIMG_SUITE_PHOTOS
#   batches       both backends give the same outputs, messages and exit codes in batches of: new random JPEG photos
#                 (write_photos), some of them damaged; 24 photos of $GPUIMG_SUITE_PHOTOS; and the catalogue
#   errors        messages for hidden devices, and for a device that the build has no code for (builds a second gpuimg)
#   crowded       images on a device whose memory another process occupies (tests/cuda/crowded_device.py)
#   faults        each CUDA call fails in turn, and launches cause real device faults (tests/faults)
#   sanitize      the four tools of compute-sanitizer, or those that $GPUIMG_SUITE_TOOLS names: each tool must find the
#                 bug planted for it, and no bug in the tests with small images
#   opencl        the OpenCL backend on NVIDIA's OpenCL: its tests, doctor, the files of `files`, and its benchmark
#   bench         the benchmarks
# environment: GPUIMG_SUITE_PACK (runs the copies made by `pack`), GPUIMG_SUITE_LOGS (folder of the logs), GPUIMG_SUITE_ARCH
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
build=${GPUIMG_SUITE_BUILD:-build/gpu-suite}
pack=${GPUIMG_SUITE_PACK:-}
logs=${GPUIMG_SUITE_LOGS:-${pack:-$build}/logs}
tests=${pack:-$build/tests/cuda}/gpuimg_cuda_tests
bench=${pack:-$build/bench}/gpuimg_gpu_bench
jpeg_bench=${pack:-$build/bench}/gpuimg_jpeg_device_bench
png_bench=${pack:-$build/bench}/gpuimg_png_device_bench
denoise_bench=${pack:-$build/bench}/gpuimg_denoise_device_bench
planted=${pack:-$build/tests/cuda}/gpuimg_planted_bugs
occupy=${pack:-$build/tests/cuda}/gpuimg_occupy_device
write_photos=${pack:-$build/tests/support/catalogue}/write_photos
write_catalogue=${pack:-$build/tests/support/catalogue}/write_catalogue
faulty=${pack:-$build/tests/faults}/gpuimg_faulty
opencl_tests=${pack:-$build/tests/opencl}/gpuimg_opencl_tests
opencl_bench=${pack:-$build/bench}/gpuimg_opencl_bench
gpuimg=${pack:-$build}/gpuimg
export GPUIMG_REQUIRE_CUDA=1
[ -n "$pack" ] && export LD_LIBRARY_PATH=$pack/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
failed=()
declare -A sanitizers=()

step() {  # step NAME SECONDS COMMAND…: runs COMMAND, keeps its log, and prints the outcome
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
    -DGPUIMG_FAULTS=ON \
    -DCMAKE_CUDA_ARCHITECTURES="${GPUIMG_SUITE_ARCH:-native}"
  step compile 3600 cmake --build "$build"
}

opencl_loader() { ldconfig -p | sed -n 's/.*libOpenCL\.so\.1 .*=> //p' | head -n 1; }

run_pack() {  # run_pack FOLDER
  local program library
  mkdir -p "$1/lib"
  for program in "$tests" "$bench" "$jpeg_bench" "$png_bench" "$denoise_bench" "$planted" "$occupy" "$write_photos" "$write_catalogue" \
    "$faulty" "$opencl_tests" "$opencl_bench" "$gpuimg"; do
    [ -x "$program" ] || continue
    cp "$program" "$1/"
    ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | grep -vE '/(libc|libm|libgcc_s|libstdc\+\+|libpthread|libdl|librt)\.so' |
      while read -r library; do cp -Lu "$library" "$1/lib/"; done
  done
  library=$(opencl_loader)  # loaded by name, so ldd does not list it
  [ -z "$library" ] || cp -L "$library" "$1/lib/"
  cp "$build/tests/opencl/libgpuimg_failing_opencl.so" "$1/lib/" 2>/dev/null || true
  du -sh "$1"
}

run_parity() {
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null
  local part
  for part in device=CudaCheck.*:CudaDeviceTest.*:CudaBackends.* exact=CudaExact.* jpeg=CudaJpeg*.* png=CudaPng*.* small=CudaParity.Small* \
    edges=CudaParity.Edge* colors=CudaColors.* medium=CudaParity.Medium* long=CudaParity.Long* \
    windows=CudaParity.Large*:CudaParity.Huge* \
    shared-48-64='*CudaSharedMemory*/0:*CudaSharedMemory*/1' shared-99-163='*CudaSharedMemory*/2:*CudaSharedMemory*/3' \
    special=CudaParity.Constant*:CudaParity.Flat*:CudaParity.Images*:CudaParity.Many*:CudaParity.Pitch*; do
    step "parity-${part%%=*}" 120 "$tests" --gtest_filter="${part#*=}" --gtest_brief=1
  done
}

run_huge() { step huge 200 "$tests" --gtest_filter='CudaHuge*' --gtest_brief=1; }

run_all() { step all 1200 ctest --test-dir "$build" -j 4 --output-on-failure --no-tests=error; tail -n 25 "$logs/all.log"; }

same_from_both() {  # same_from_both FILE OPERATION EXTENSION OPTION…: succeeds if both backends write the same file
  local file=$1 operation=$2 extension=$3 backend
  shift 3
  for backend in cpu cuda; do
    "$gpuimg" "$operation" --force --backend "$backend" "$@" "$file" "$logs/of-$backend.$extension" || return 1
  done
  cmp "$logs/of-cpu.$extension" "$logs/of-cuda.$extension" && echo "same: $operation $* $file -> $extension"
}

compare_files() {
  local file mode
  while read -r file; do
    for mode in luma rgb joint ycbcr hsl; do
      same_from_both "$file" equalize png --color "$mode" --verify || return 1
    done
    same_from_both "$file" equalize jpg --depth 8 --background white --verify || return 1
    [[ $file != *.jpg ]] || same_from_both "$file" equalize jpg --quality keep || return 1
    same_from_both "$file" hist json --verify || return 1
    same_from_both "$file" integral npy --verify || return 1
    same_from_both "$file" hsl npy --verify || return 1
    same_from_both "$file" integral png --mean 31 --verify || return 1
    same_from_both "$file" integral npy --deviation 15 --verify || return 1
    for mode in otsu mean bradley niblack sauvola wolf nick; do
      same_from_both "$file" threshold png --method "$mode" --verify || return 1
    done
    same_from_both "$file" denoise png --search 7 --verify || return 1
  done < <(find samples ${GPUIMG_SUITE_PHOTOS:+"$GPUIMG_SUITE_PHOTOS"} -type f \( -name '*.png' -o -name '*.jpg' \) | sort)
}

run_files() {
  mkdir -p "$logs"
  step files 600 bash -c "$(declare -f same_from_both compare_files); gpuimg='$gpuimg' logs='$logs'; compare_files"
  grep -c ^same: "$logs/files.log"
}

run_batches() {
  local photos=$logs/photos catalogue=$logs/catalogue real=()
  rm -rf "$photos" "$catalogue"
  mkdir -p "$photos" "$catalogue"
  step batches-make 120 bash -c "'$write_photos' '$photos' && '$write_catalogue' '$catalogue'"
  [ -z "${GPUIMG_SUITE_PHOTOS:-}" ] || mapfile -t real < <(find "$GPUIMG_SUITE_PHOTOS" -name '*.jpg' | sort | head -n 24)
  if [ ${#real[@]} -gt 0 ]; then
    cp "${real[@]}" "$photos/"
    head -c 1000000 "${real[0]}" >"$photos/real-truncated.jpg"
  fi
  step batches 580 tests/cuda/compare_batches.py "$gpuimg" "$photos" "$catalogue"
  cat "$logs/batches.log"
  rm -rf "$photos" "$catalogue"
}

rejected() {  # rejected COMMAND…: succeeds if COMMAND exits with 5 and one line on stderr, which is printed
  local status=0 said
  said=$("$@" 2>&1 >/dev/null) || status=$?
  printf 'exit %d: %s\n' "$status" "$said"
  [ "$status" -eq 5 ] && [ "$(wc -l <<<"$said")" -eq 1 ] && [[ $said == 'gpuimg: error: '* ]]
}

check_errors() {
  local other=$build-other-architecture image=samples/landscape.png visible
  for visible in '' 7 abc; do
    rejected env CUDA_VISIBLE_DEVICES="$visible" "$gpuimg" equalize --backend cuda --force "$image" "$logs/no.png" || return 1
    CUDA_VISIBLE_DEVICES="$visible" "$gpuimg" equalize --backend auto --force "$image" "$logs/yes.png" || return 1
  done
  rejected "$gpuimg" equalize --backend cuda --device 63 --force "$image" "$logs/no.png" || return 1
  rejected "$gpuimg" equalize -q --backend cuda --devices 0,63 --force samples/ "$logs/no.folder" || return 1
  cmake -S . -B "$other" -G Ninja -DCMAKE_BUILD_TYPE=Release -DGPUIMG_CUDA=ON -DGPUIMG_TESTS=OFF \
    -DCMAKE_CUDA_ARCHITECTURES="${GPUIMG_SUITE_OTHER_ARCH:-75-real}" >/dev/null &&
    cmake --build "$other" --target gpuimg >/dev/null || return 1
  local call
  for call in hist:json equalize:png integral:npy hsl:npy; do
    rejected "$other/gpuimg" "${call%:*}" --backend cuda --force "$image" "$logs/no.${call#*:}" || return 1
  done
  "$other/gpuimg" doctor
  [ -z "$(find "$logs" -name 'no.*')" ]
}

run_errors() {
  mkdir -p "$logs"
  step errors 600 bash -c "$(declare -f rejected check_errors); build='$build' gpuimg='$gpuimg' logs='$logs'; check_errors"
  cat "$logs/errors.log"
}

run_crowded() {
  step crowded 300 tests/cuda/crowded_device.py "$gpuimg" "$occupy"
  cat "$logs/crowded.log"
}

# About 1,700 runs, each with its own start of CUDA; $GPUIMG_SUITE_POINTS (default 8) points of each kind of call.
run_faults() {
  step faults 580 tests/faults/fault_sweep --cuda --most "${GPUIMG_SUITE_POINTS:-8}" "$faulty"
  grep -E ' runs, |^seed' "$logs/faults.log" | cut -c1-150
  # Every call of the device's JPEG codecs, not only a sample of the calls.
  step faults-jpeg 580 env GPUIMG_FAULTS_FULL=1 tests/faults/fault_sweep --cuda "$faulty" cuda_jpeg cuda_jpeg_walked cuda_jpeg_encoded cuda_png_encoded
  grep -E ' runs, |^seed' "$logs/faults-jpeg.log" | cut -c1-150
}

# Succeeds if the tool reports its planted bug, by exit code and in its summary, and reports nothing for correct code.
finds_its_bug() {  # finds_its_bug TOOL
  local status=0
  compute-sanitizer --tool "$1" --error-exitcode 9 "$planted" "$1" || status=$?
  [ "$status" -eq 9 ] || { echo "$1: exit code $status for its planted bug, not 9"; return 1; }
  compute-sanitizer --tool "$1" --error-exitcode 9 "$planted" none
}

run_sanitize() {
  local tool part
  for tool in ${GPUIMG_SUITE_TOOLS:-memcheck racecheck initcheck synccheck}; do
    step "planted-$tool" 60 bash -c "$(declare -f finds_its_bug); planted='$planted'; finds_its_bug $tool"
  done
  # One process per tool and kind of operation, in parallel: racecheck alone takes minutes.
  for tool in ${GPUIMG_SUITE_TOOLS:-memcheck racecheck initcheck synccheck}; do
    for part in CudaParity.SmallHistograms CudaParity.SmallEqualizations CudaParity.SmallIntegrals CudaParity.SmallHsl \
      CudaParity.SmallClaheOf8Bits CudaParity.SmallClaheOf16Bits CudaParity.SmallTileOf16BitCounters \
      CudaParity.SmallMatches CudaParity.SmallWindows \
      CudaParity.SmallWindowsOfAlignedRows CudaParity.SmallLargeWindows CudaParity.SmallDenoising \
      CudaJpeg.OneOfEverySampling CudaJpeg.SmallImagesOfEverySampling CudaJpegDamage.EachDefectIsDetected \
      CudaJpegEncode.OneOfEverySampling CudaPngDecode.OneOfEveryFormat; do
      # Poisoned memory counts as initialized; initcheck needs memory as the device allocates it.
      (step "$tool-$part" 500 env GPUIMG_TEST_POISON=$([ "$tool" = initcheck ] && echo 0 || echo 1) \
        compute-sanitizer --tool "$tool" --error-exitcode 9 "$tests" --gtest_filter="$part" --gtest_brief=1
       [ ${#failed[@]} -eq 0 ]) &
      sanitizers[$!]=$tool-$part
    done
  done
  local process
  for process in "${!sanitizers[@]}"; do
    wait "$process" || failed+=("${sanitizers[$process]}")
  done
}

# Tells the OpenCL loader where NVIDIA's driver is, for containers that lack /etc/OpenCL/vendors/nvidia.icd.
find_nvidia_opencl() {
  local driver
  driver=$({ ldconfig -p | sed -n 's/.*libnvidia-opencl\.so\.1 .*=> //p'
    find /usr/local/nvidia /usr/lib -name 'libnvidia-opencl.so.1' 2>/dev/null; } | head -n 1)
  [ -n "$driver" ] || { echo 'opencl: libnvidia-opencl.so.1 is not here'; return 1; }
  rm -rf "$logs/vendors"
  mkdir -p "$logs/vendors"
  echo "$driver" >"$logs/vendors/nvidia.icd"
  OCL_ICD_VENDORS=$(cd "$logs/vendors" && pwd)
  export OCL_ICD_VENDORS OCL_ICD_FILENAMES=$driver
}

compare_opencl() {  # compares each operation on each file with the CPU; the step `files` compares the CPU with CUDA
  local file mode
  while read -r file; do
    for mode in luma rgb joint ycbcr hsl; do
      "$gpuimg" equalize --force --backend opencl --verify --color "$mode" "$file" "$logs/of-opencl.png" || return 1
    done
    "$gpuimg" hist --force --backend opencl --verify "$file" "$logs/of-opencl.json" || return 1
    "$gpuimg" integral --force --backend opencl --verify "$file" "$logs/of-opencl.npy" || return 1
    "$gpuimg" hsl --force --backend opencl --verify "$file" "$logs/of-opencl.npy" || return 1
    "$gpuimg" equalize --clahe --force --backend opencl --verify "$file" "$logs/of-opencl.png" || return 1
    "$gpuimg" integral --mean 31 --force --backend opencl --verify "$file" "$logs/of-opencl.png" || return 1
    for mode in otsu mean bradley niblack sauvola wolf nick; do
      "$gpuimg" threshold --method "$mode" --force --backend opencl --verify "$file" "$logs/of-opencl.png" || return 1
    done
    echo "same: $file"
  done < <(find samples ${GPUIMG_SUITE_PHOTOS:+"$GPUIMG_SUITE_PHOTOS"} -type f \( -name '*.png' -o -name '*.jpg' \) | sort)
}

# Most of the time, OpenCL's tests wait for the driver's compiler, which uses one thread per process.
in_shards() {  # in_shards TESTS FILTER: runs the tests in one process per processor; succeeds if all of them do
  local shards processes=() failed=0 i
  shards=$(nproc)
  for ((i = 0; i < shards; ++i)); do
    GPUIMG_REQUIRE_OPENCL=1 GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$i "$1" --gtest_filter="$2" --gtest_brief=1 &
    processes+=($!)
  done
  for i in "${processes[@]}"; do wait "$i" || failed=1; done
  return $failed
}

run_opencl() {
  local part
  mkdir -p "$logs"
  find_nvidia_opencl || { failed+=(opencl); return; }
  step opencl-doctor 580 env XDG_CACHE_HOME="$logs" "$gpuimg" doctor --backend opencl
  sed -n '/^OpenCL/,$p' "$logs/opencl-doctor.log"
  [ -z "$pack" ] || export GPUIMG_TEST_FAILING_LOADER=$pack/lib/libgpuimg_failing_opencl.so
  for part in Parity Colors Faults; do
    step "opencl-$part" 300 bash -c "$(declare -f in_shards); in_shards '$opencl_tests' 'Opencl$part.*'"
  done
  step opencl-files 400 bash -c "$(declare -f compare_opencl); gpuimg='$gpuimg' logs='$logs'; compare_opencl"
  step opencl-bench 300 "$opencl_bench"
  cat "$logs/opencl-bench.log"
}

run_bench() {
  if [ -x "$bench" ]; then
    step bench 300 "$bench"
    cat "$logs/bench.log"
  else
    echo "bench: $bench is not there"
  fi
  local photos=()
  mapfile -t photos < <(find samples ${GPUIMG_SUITE_PHOTOS:+"$GPUIMG_SUITE_PHOTOS"} -type f -name '*.jpg' | sort)
  if [ ${#photos[@]} -gt 0 ]; then
    step bench-jpeg 300 "$jpeg_bench" 16 "${photos[@]}"
    cat "$logs/bench-jpeg.log"
  fi
  mapfile -t photos < <(find samples ${GPUIMG_SUITE_PHOTOS:+"$GPUIMG_SUITE_PHOTOS"} -type f -name '*.png' | sort)
  step bench-png 300 "$png_bench" 16 "${photos[@]}"
  cat "$logs/bench-png.log"
  step bench-denoise 300 "$denoise_bench"
  cat "$logs/bench-denoise.log"
}

[ $# -gt 0 ] || set -- build parity huge sanitize bench
while [ $# -gt 0 ]; do
  case $1 in
    build | all | parity | huge | files | batches | errors | crowded | faults | sanitize | opencl | bench) "run_$1" ;;
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
