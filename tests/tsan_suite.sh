#!/usr/bin/env bash
# Runs all tests of multithreaded code with the thread sanitizer. usage: tests/tsan_suite.sh [prepare | CTEST ARGUMENT…]
# The sanitizer must see oneTBB's own synchronization; otherwise it reports false races after every parallel loop. So the
# script builds oneTBB with the sanitizer into build/tsan-deps, from the distribution's source package, which apt fetches
# and verifies according to the machine's own package sources. First, the sanitizer must find a planted race; `prepare`
# ends after that. Needs apt-get and dpkg-dev.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
deps=$PWD/build/tsan-deps
build=build/tsan
jobs=$(nproc)
export CC=${CC:-clang} CXX=${CXX:-clang++}

step() { printf '=== %s (at %d s)\n' "$1" "$SECONDS"; }

write_source_lists() {  # copies the machine's lists of packages as lists of source packages
  local list
  mkdir -p "$deps/apt/sources" "$deps/apt/lists/partial" "$deps/apt/cache/archives/partial"
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -s "$list" ] || sed -nE 's/^deb(-src)? /deb-src /p' "$list" | sort -u >"$deps/apt/sources/$(basename "$list" .list).list"
  done
  for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -s "$list" ] || sed -E 's/^Types:.*/Types: deb-src/' "$list" >"$deps/apt/sources/$(basename "$list")"
  done
}

own_apt() {  # apt-get with its own folders, so that the machine's lists stay unchanged
  apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$deps/apt/sources" \
    -o Dir::State::lists="$deps/apt/lists" -o Dir::Cache="$deps/apt/cache" -o APT::Sandbox::User="$(id -un)" "$@"
}

fetch_tbb() {
  local version
  version=$(dpkg-query -W -f='${source:Version}' libtbb-dev)
  [ -d "$deps/source-$version" ] || {
    write_source_lists
    own_apt update
    (cd "$deps" && rm -rf onetbb-* && own_apt source "onetbb=$version" && mv onetbb-*/ "source-$version")
  }
  tbb_source=$deps/source-$version
}

build_tbb() {
  cmake -S "$tbb_source" -B "$deps/tbb" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DTBB_SANITIZE=thread -DTBB_TEST=OFF \
    -DTBB_STRICT=OFF -DTBBMALLOC_BUILD=OFF -DCMAKE_INSTALL_PREFIX="$deps/installed" >"$deps/tbb.log"
  cmake --build "$deps/tbb" -j "$jobs" >>"$deps/tbb.log" 2>&1 && cmake --install "$deps/tbb" >>"$deps/tbb.log" || {
    tail -n 30 "$deps/tbb.log"
    return 1
  }
}

find_planted_race() {
  "$CXX" -std=c++20 -g -O1 -fsanitize=thread tests/support/planted_race.cpp -I"$deps/installed/include" \
    -L"$deps/installed/lib" -Wl,-rpath,"$deps/installed/lib" -ltbb -o "$deps/planted_race"
  local status=0
  TSAN_OPTIONS="exitcode=9:suppressions=$PWD/tests/tsan.supp" "$deps/planted_race" race >"$deps/planted.log" 2>&1 || status=$?
  [ $status -eq 9 ] && grep -q 'data race' "$deps/planted.log" || { echo 'the planted race was not found' >&2; return 1; }
  TSAN_OPTIONS="exitcode=9:suppressions=$PWD/tests/tsan.supp" "$deps/planted_race" none || {
    echo 'a parallel loop without a race is reported' >&2
    return 1
  }
  grep -m 1 'data race' "$deps/planted.log"
}

step 'oneTBB from source, with the sanitizer'
fetch_tbb
build_tbb
step 'A planted race'
find_planted_race
[ "${1:-}" != prepare ] || exit 0
step 'gpuimg'
cmake --fresh --preset tsan -DTBB_DIR="$deps/installed/lib/cmake/TBB" >"$deps/configure.log"
grep -q 'TBB: installed' "$deps/configure.log"
cmake --build --preset tsan -j "$jobs"
# With another oneTBB, the tests would prove nothing.
ldd "$build/gpuimg" | grep -q "libtbb.so.12 => $deps/installed" || { echo 'gpuimg does not use that oneTBB' >&2; exit 1; }
step 'Tests'
ctest --preset tsan -j "$jobs" --label-exclude long "$@"
[ $# -gt 0 ] || ctest --preset tsan --label-regex long
step 'Done'
