// The outputs of one input: staged files, streams, and members of an archive. Either all are committed or none is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/item_report.hpp"
#include "io/bytes.hpp"
#include "io/output_file.hpp"

namespace gpuimg {

/// For a text output: rejects the name of a file that text must not replace, even with --force. Throws Error{write} if
/// the file is one of `inputs`, under any name, or if its content is an image or another binary format, and
/// Error{usage} if the name has the extension of an image. Accepts any stream.
void check_text_output(const std::string& output, const std::vector<std::string>& inputs);

class ItemOutputs {
 public:
  /// Borrows `times`, which records the writing, and `inputs`, the files that text must not replace.
  ItemOutputs(PhaseTimes& times, const OverwriteRules& rules, const std::vector<std::string>& inputs)
      : times_(times), inputs_(inputs), rules_(rules) {}

  /// Prepares for the next input: discards unfinished outputs. With `keeps_all`, outputs are kept for take_kept()
  /// instead of commit().
  void begin(const OverwriteRules& rules, bool keeps_all = false);

  /// The output files of this input get these access and modification times.
  void set_times(const std::optional<FileTimes>& times) { times_of_input_ = times; }

  /// Checks an output before any work: rejects an existing file, the input itself, a terminal, and a fifo without a
  /// reader; for text, what check_text_output() rejects.
  void check(const std::string& output, const std::string& input, bool binary);

  /// True if an output is the input.
  [[nodiscard]] bool replaces_input() const { return !in_place_.empty(); }

  /// Stages an output that produce(to) writes. An output that must be complete before it is written (is_kept()) is kept
  /// in memory instead; bytes in `lent` are then not copied. Writing counts as the write phase; everything else counts
  /// as `phase`, if given.
  void stage(const std::string& output, std::optional<Phase> phase,
             const std::function<void(const FileParts& to)>& produce, LentBytes lent = {});

  /// The same, but stages nothing and returns false if produce(to) returns false.
  bool try_stage(const std::string& output, Phase phase, const std::function<bool(const FileParts& to)>& produce);

  /// The same for an output in memory.
  void stage(const std::string& output, LentBytes content);

  /// The same for text. Throws as check_text_output() does. check() never accepts a text output that is the input
  /// itself, so --in-place does not apply.
  void stage_text(const std::string& output, LentBytes content);

  /// True if an output is kept in memory until it is complete.
  [[nodiscard]] bool is_kept(const std::string& output) const { return keeps_all_ || is_stream(output); }

  struct Kept {
    std::string name;
    std::shared_ptr<const FileContent> content;
  };
  [[nodiscard]] std::vector<Kept> take_kept() { return std::exchange(kept_, {}); }

  /// Prepares the messages of commit(), so that commit() allocates nothing for them. Returns their number. The message
  /// that a file is replaced has the verbosity `of_replaced`.
  std::size_t announce(Verbosity of_replaced);

  /// First writes the streams, then renames the files: all or none, unless a rename fails.
  void commit(const std::function<void(Message message)>& tell);

  /// The names of the files that are staged or committed.
  [[nodiscard]] std::vector<std::string> files() const;

  /// True if a committed output replaced a file other than the input.
  [[nodiscard]] bool has_replaced() const { return has_replaced_; }

 private:
  struct Staged {
    StagedOutput file;
    std::string name;
    std::uint64_t size;
    int times_failure = 0;           ///< errno of set_times()
    std::vector<Message> news = {};  ///< told after the rename
  };

  [[nodiscard]] bool replaces_another(const Staged& output) const;
  [[nodiscard]] bool is_in_place(const std::string& output) const;  ///< check() accepted it as the input
  bool try_stage(const std::string& output, std::optional<Phase> phase,
                 const std::function<bool(const FileParts& to)>& produce, LentBytes lent, const OverwriteRules& rules);
  void write_stream(const Kept& stream);

  PhaseTimes& times_;
  const std::vector<std::string>& inputs_;
  OverwriteRules rules_;
  bool keeps_all_ = false;
  bool has_replaced_ = false;
  std::optional<FileTimes> times_of_input_;
  std::vector<std::string> in_place_;        // outputs that are the input
  std::map<std::string, FifoOutput> fifos_;  // open since the check, so that readers always see end of file
  std::vector<Kept> kept_;                   // complete, but not yet written
  std::vector<Staged> staged_;               // complete, but not yet renamed
};

}  // namespace gpuimg
