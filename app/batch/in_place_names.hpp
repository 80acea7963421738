// --in-place without OUT: decides which names are inputs. docs/batch.md, "In place".
#pragma once

#include <string>
#include <vector>

namespace gpuimg {

struct InPlaceNames {
  std::vector<std::string> inputs;
  std::string output;           ///< the input itself if there is only one name; otherwise empty
  bool each_is_its_own = true;  ///< each input is its own output, and `output` is empty
};

/// `names` are all names on the command line; `has_list` is true with --files-from. Names of the same file count once.
/// Throws Error{usage} if the last name could be meant as OUT.
InPlaceNames in_place_names(const std::vector<std::string>& names, bool has_list);

}  // namespace gpuimg
