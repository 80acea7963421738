// Chooses the names of outputs: a mirrored tree below a folder, or a template. Finds inputs that have the same output,
// and inputs that are the output of another input. Interprets the names given with --in-place. docs/batch.md,
// "Outputs", "Inputs" and "In place".
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "batch/inputs.hpp"

namespace gpuimg {

struct PlanItem;  // in batch/plan.hpp

/// Returns the path of `relative` below `folder`. Replaces the extension if it differs from `extension` (lower case,
/// without a dot).
std::string mirrored_name(const std::string& folder, const std::string& relative, const std::string& extension);

/// `--output`: text with fields in braces; {{ and }} stand for literal braces.
///   {dir}    folder of the input
///   {rel}    that folder, relative to the folder that was named; "." for the named folder itself
///   {name}   name with its extension
///   {stem}   name without its extension
///   {ext}    extension without the dot
///   {index}  position among the inputs, from 1
///   {page}   number of the page, with leading zeros; 1 for a file as a whole
class OutputTemplate {
 public:
  /// Throws Error{usage} for an unknown field, with a suggestion, and for an unmatched brace.
  explicit OutputTemplate(const std::string& text);

  /// True if a name depends on the input's position in the list.
  [[nodiscard]] bool has_index() const;

  /// The text before the first field other than {dir} is the output folder. Throws Error{usage} if the output would be
  /// outside that folder, if its path goes up or to the root, or if it has no name.
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

/// Rules for naming the outputs of items.
struct OutputNaming {
  /// `index` counts from 1. Returns "" if the item has no output.
  std::function<std::string(const InputFile&, std::size_t index)> name_for;
  std::function<std::vector<std::string>(const std::string& output)> files_of;
  bool depends_on_list = false;                ///< names change with the list of inputs
  std::vector<std::string> alternatives = {};  ///< templates to suggest for a collision, best first
};

/// `items` and `inputs` correspond by index. Throws Error{usage} if two items have the same output, even if it is
/// spelled differently. The message quotes the first of naming.alternatives that gives each item a different output,
/// and prefers one that keeps the current extensions.
void reject_output_collisions(const std::vector<PlanItem>& items, const std::vector<InputFile>& inputs,
                              const OutputNaming& naming);

/// Finds duplicate outputs among the members of an archive, which arrive one after another. Keeps their names, about
/// 150 bytes each.
class MemberOutputs {
 public:
  /// `outputs` are the names of the member's outputs, or the member's own name. Throws Error{usage} if a member with
  /// another name has one of these outputs. Members with equal names are allowed, because the input archive can contain
  /// them.
  void add(const std::string& member, const std::vector<std::string>& outputs);

 private:
  /// Maps each output to the name of its member, or to "" if the output has the member's name.
  std::unordered_map<std::string, std::string> members_;
};

/// Templates for --output that keep the folder `output` and its tree, and that distinguish inputs by folder, by
/// extension or by position in the list.
std::vector<std::string> alternatives_for_folder(const std::string& output, const std::string& extension);

/// Like alternatives_for_folder, for a template that causes a collision.
std::vector<std::string> alternatives_for_template(const std::string& text);

/// Quotes the text as one POSIX shell word. If it has unprintable bytes, uses $'…' (bash, zsh, ksh).
std::string shell_word(const std::string& text);

struct OriginalInputs {
  std::vector<InputFile> files;  ///< in input order
  std::string note;              ///< message about dropped inputs; empty if there are none
};

/// Drops each input that is the output of another input. Keeps ambiguous inputs, which the plan then rejects: two
/// inputs that are outputs of each other, symbolic links, and inputs under templates whose names depend on the list of
/// inputs.
OriginalInputs without_derived_inputs(const std::vector<InputFile>& inputs, const OutputNaming& naming);

struct InPlaceNames {
  std::vector<std::string> inputs;
  std::string output;           ///< the input itself if there is only one name; otherwise empty
  bool each_is_its_own = true;  ///< each input is its own output, and `output` is empty
};

/// Implements --in-place without OUT: decides which names are inputs. `names` are all names on the command line;
/// `has_list` is true with --files-from. Several names of one file count once. Throws Error{usage} if the user could
/// have meant the last name as OUT, so that it is never overwritten by mistake.
InPlaceNames in_place_names(const std::vector<std::string>& names, bool has_list);

}  // namespace gpuimg
