// Reports the results and compares them with the targets: as tables on standard output, and as a JSON file.
#pragma once

#include <string>
#include <vector>

#include "bench/measurement.hpp"

namespace gpuimg::bench {

/// The environment of the measurement: pairs of name and value.
using Surroundings = std::vector<std::pair<std::string, std::string>>;

struct Verdict {
  std::string wanted;  ///< "share>=0.92 CUB>=1.15x"; empty if there is no target
  std::string text;    ///< "pass", "MISS share", "WRONG", or empty
};

Verdict verdict_of(const Result& result);

/// How many times faster gpuimg is than the first rival in `library`; 0 if there is none.
double speed_up(const Result& result, Library library);

/// All tables. Shows in full the largest size that has at most 16384² pixels. For other sizes, shows only the slowest
/// distribution of each operation, so that the tables stay below 120 lines of 120 columns.
std::string tables(const std::vector<Result>& results, const std::vector<Ceiling>& ceilings,
                   const std::pair<Times, Times>& empty_launch);

std::string json(const Surroundings& surroundings, const std::vector<Result>& results,
                 const std::vector<Ceiling>& ceilings, const std::pair<Times, Times>& empty_launch);

}  // namespace gpuimg::bench
