// The tables on standard output and the JSON file: what was measured, against the targets.
#pragma once

#include <string>
#include <vector>

#include "bench/measurement.hpp"

namespace gpuimg::bench {

/// What the figures were measured with: pairs of a name and a text.
using Surroundings = std::vector<std::pair<std::string, std::string>>;

struct Verdict {
  std::string wanted;  ///< "share>=0.92 CUB>=1.15x"; empty if nothing is asked
  std::string text;    ///< "pass", "MISS share", "WRONG", or empty
};

Verdict verdict_of(const Result& result);

/// Times as fast as the first rival of that library; 0 if there is none.
double speed_up(const Result& result, Library library);

/// All tables. The results of the largest size up to 16384² are printed in full, those of other large sizes as the
/// slowest distribution of each operation, so that everything stays below 120 lines of 120 columns.
std::string tables(const std::vector<Result>& results, const std::vector<Ceiling>& ceilings,
                   const std::pair<Times, Times>& empty_launch);

std::string json(const Surroundings& surroundings, const std::vector<Result>& results,
                 const std::vector<Ceiling>& ceilings, const std::pair<Times, Times>& empty_launch);

}  // namespace gpuimg::bench
