// --in-place without OUT: which names are meant. docs/batch.md, "In place".
#pragma once

#include <string>
#include <vector>

namespace gpuimg {

struct InPlaceNames {
  std::vector<std::string> inputs;
  std::string output;           ///< the input itself where there is one name; else empty
  bool each_is_its_own = true;  ///< each input is its own output, and `output` is empty
};

/// `names` are all on the command line; `has_list` if --files-from names more. What leads to the same file counts once.
/// Throws Error{usage} for names of which the last could be meant as OUT.
InPlaceNames in_place_names(const std::vector<std::string>& names, bool has_list);

}  // namespace gpuimg
