// Output names: a mirrored tree below a folder, or a template. docs/batch.md, "Outputs".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "batch/inputs.hpp"

namespace gpuimg {

/// Mirrors `relative` below `folder`, replacing its extension if it differs from `ending` (lower case, without a dot).
std::string mirrored_name(const std::string& folder, const std::string& relative, const std::string& ending);

/// `--output`: text with fields in braces, {{ and }} for braces themselves.
///   {dir}   folder of the input        {rel}  folder below the one that was named, "." if it is that one
///   {name}  name with its ending       {stem} name without it      {ext} its ending without a dot
///   {index} place among the inputs, from 1
///   {page}  number of the page, with leading zeros; 1 for a file as a whole
class OutputTemplate {
 public:
  /// Throws Error{usage} for an unknown field, with a suggestion, and for an unmatched brace.
  explicit OutputTemplate(const std::string& text);

  /// True if the names depend on the position in the list.
  [[nodiscard]] bool has_index() const;

  /// The text before the first field other than {dir} is the output folder. Throws Error{usage} for an input whose
  /// output would leave that folder, go up or to the root, or have no name.
  [[nodiscard]] std::string name_for(const InputFile& input, std::size_t index) const;

 private:
  enum class Field { text, dir, rel, name, stem, ext, index, page };
  struct Part {
    Field field = Field::text;
    std::string text;
  };
  static Field field_named(const std::string& name);
  static std::string value_of(Field field, const InputFile& input, std::size_t index);

  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace gpuimg
