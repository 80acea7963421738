// From an input's name to its output's: a tree mirrored below a folder, or a template. docs/batch.md, "Outputs".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gpuimg {

/// An input file: where it is, and its place below the folder that was named (the name alone for a file that was
/// named).
struct InputFile {
  std::string path;
  std::string relative;
};

/// Where a tree is mirrored: `relative` below `folder`, with the ending `ending` (lower case, without dot) in place of
/// its own if that is another one.
std::string mirrored_name(const std::string& folder, const std::string& relative, const std::string& ending);

/// `--output`: text with fields in braces, {{ and }} for braces themselves.
///   {dir}   folder of the input        {rel}  folder below the one that was named, "." if it is that one
///   {name}  name with its ending       {stem} name without it      {ext} its ending without a dot
///   {index} place in the sorted list of inputs, from 1
class OutputTemplate {
 public:
  /// Throws Error{usage} for a field that there is not, with a suggestion, and for a brace left open.
  explicit OutputTemplate(const std::string& text);

  /// True if names depend on the place in the list.
  [[nodiscard]] bool has_index() const;

  /// What stands before the first field other than {dir} names a folder; Error{usage} for an input whose name would
  /// lead out of it, up or to the root, or to no name at all.
  [[nodiscard]] std::string name_for(const InputFile& input, std::size_t index) const;

 private:
  enum class Field { text, dir, rel, name, stem, ext, index };
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
