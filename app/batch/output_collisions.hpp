// Refuses two inputs with the same output and suggests a command that works when pasted. docs/batch.md, "Outputs".
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "batch/work_plan.hpp"

namespace gpuimg {

/// `items` and `inputs` correspond by index. Throws Error{usage} if two items have the same output under any spelling.
/// The message quotes the first of naming.alternatives that gives every item its own output.
void refuse_output_collisions(const std::vector<PlanItem>& items, const std::vector<InputFile>& inputs,
                              const OutputNaming& naming);

/// The same for the members of an archive, which come one after another. Keeps their names: some 150 bytes each.
class MemberOutputs {
 public:
  /// `outputs` are the names that the member gets, or its own. Throws Error{usage} if another member has one of them;
  /// members of the same name may repeat, as in the archive that is read.
  void add(const std::string& member, const std::vector<std::string>& outputs);

 private:
  std::unordered_map<std::string, std::string> members_;  ///< by output; empty for an output of the member's own name
};

/// Templates for --output that keep the folder `output` and use more than the stem in the file name.
std::vector<std::string> alternatives_for_folder(const std::string& output, const std::string& ending);

/// The same, for a template that causes a collision.
std::vector<std::string> alternatives_for_template(const std::string& text);

/// Quotes the text as one POSIX shell word; as $'…' (bash, zsh, ksh) if it has unprintable bytes.
std::string shell_word(const std::string& text);

}  // namespace gpuimg
