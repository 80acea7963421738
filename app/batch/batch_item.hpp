// Describes an item of a run and its failure. Collects the failures and notes of a run: for each cause, the first few
// files, then a count. Detects that no output can be written any more. docs/batch.md, "Failures".
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "batch/manifest.hpp"
#include "batch/plan.hpp"
#include "engine/image_job.hpp"
#include "engine/memory.hpp"
#include "io/output_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {

/// Should stay small: many finished items can wait in memory for an earlier one.
struct BatchItem {
  enum class State : std::uint8_t { none, begun, ready, ended };

  const PlanItem* planned = nullptr;
  State state = State::none;
  bool is_decided = false;    ///< skipped, or failed before any work
  bool holds_memory = false;  ///< memory.bytes are acquired from the MemoryBudget
  ItemRecord record;
  std::string reason;     ///< for a failure: its message without the item's file names
  int system_error = 0;   ///< for a write failure: its errno, or 0
  bool replaced = false;  ///< an output replaced a file other than the input
  std::uint64_t pixels = 0;
  ImageMemory memory;
  InOrder in_order;
  std::vector<Message> messages;
};

/// The message, prefixed with shown_input() of the item unless the message already contains this name.
std::string text_with_name(std::string_view message, const PlanItem& item);

/// The message without the leading names of the item's files.
std::string text_without_names(std::string_view message, const PlanItem& item);

/// Strong guarantee; these functions throw only std::bad_alloc. If `reason` is empty, it is derived from the message.
void fail(BatchItem& item, std::string_view kind, const std::string& message, std::string reason = {});
void skip(BatchItem& item, const char* reason);

/// Returns the exception that work() throws, or nullptr.
template <class Work>
std::exception_ptr caught(const Work& work) noexcept {
  try {
    work();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

/// Records the exception as the item's failure.
void fail_by(BatchItem& item, const std::exception_ptr& thrown);

inline bool is_kind(const BatchItem& item, ErrorKind kind) { return item.record.error_kind == name_of(kind); }

/// Counts messages by cause. A cause is a kind and a reason. Stores a limited number of causes.
class CauseCounts {
 public:
  enum class Others : std::uint8_t { counted, told };

  /// Counts a message. Returns true if it should be printed: it is among the first `most` of its cause, or its cause is
  /// not stored because the limit is reached, and `others` is Others::told. Strong guarantee; throws only
  /// std::bad_alloc.
  bool add(std::string_view kind, const std::string& reason, std::uint64_t most, Others others = Others::counted);

  /// Returns "... and 4,997 more: reason" for each cause with messages that were counted but not printed. If some
  /// causes are not stored, adds "... and 12 more " followed by `of_others`.
  [[nodiscard]] std::vector<std::string> rest(std::string_view of_others) const;

 private:
  struct Cause {
    std::string kind;
    std::string reason;
    std::uint64_t count = 0;
    std::uint64_t told = 0;
  };

  std::vector<Cause> causes_;
  std::uint64_t of_other_causes_ = 0;
};

/// Collects the notes of a run's items: prints the first three of each text, and counts the others.
class NoteFolder {
 public:
  /// The line to print for a message of the item. Empty if the message is only counted. With Verbosity::verbose, every
  /// message has a line. Strong guarantee; throws only std::bad_alloc.
  std::string line_of(const BatchItem& item, const Message& message, Verbosity verbosity);

  /// Returns "... and 4,997 more: text" for each text with notes that were only counted. After 100 texts are stored,
  /// line_of() returns a line for every note with another text.
  [[nodiscard]] std::vector<std::string> rest() const { return counts_.rest(""); }

 private:
  CauseCounts counts_;
};

/// Collects failures for the final report: for each cause, the first few files, then a count. Stores a limited number
/// of lines, even if many items fail.
class FailureList {
 public:
  /// `reason` is `message` without the item's file names. Failures with equal kind and reason have the same cause.
  /// Strong guarantee; throws only std::bad_alloc.
  void add(std::string_view kind, const std::string& reason, const std::string& message);

  /// Messages in insertion order, then "... and 4,997 more: reason" for each cause with more failures.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  CauseCounts causes_;
  std::vector<std::string> printed_notes_;
};

/// Detects that no output can be written any more, so that a run on a full disk ends early.
class BlockedOutput {
 public:
  /// This many consecutive failures with the same errno are treated as permanent.
  static constexpr int kInARow = 5;

  /// `items` is the whole plan and must outlive this object.
  explicit BlockedOutput(const std::vector<PlanItem>& items) : items_(items) {}

  /// Counts a finished item. Call in plan order.
  void count(const BatchItem& item) noexcept;

  /// True once every remaining item can be expected to fail too.
  [[nodiscard]] bool is_certain() const { return is_certain_; }

 private:
  [[nodiscard]] bool strikes_the_rest(const BatchItem& item) const noexcept;

  const std::vector<PlanItem>& items_;
  int system_error_ = 0;
  int in_a_row_ = 0;
  bool is_certain_ = false;
};

}  // namespace gpuimg
