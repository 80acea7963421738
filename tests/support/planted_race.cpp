// A data race that the thread sanitizer must report, and a correct loop that it must not report. Without both results,
// a clean run of tests/tsan_suite.sh would prove nothing. usage: planted_race race|none
#include <tbb/parallel_for.h>

#include <cstdio>
#include <cstring>
#include <vector>

int main(int argc, char** argv) {
  constexpr int kTurns = 100000;
  std::vector<int> cells(kTurns);
  long sum = 0;
  if (argc == 2 && std::strcmp(argv[1], "race") == 0) {
    for (int again = 0; again < 100; ++again) {  // the first loops may end before a second thread starts
      tbb::parallel_for(0, kTurns, [&](int i) { sum += i; });
    }
  } else {
    tbb::parallel_for(0, kTurns, [&](int i) { cells[static_cast<std::size_t>(i)] = i; });
  }
  for (const int cell : cells) {  // after the loop; a sanitizer that misses the end of the loop would report a race
    sum += cell;
  }
  std::printf("%ld\n", sum);
  return 0;
}
