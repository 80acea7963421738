// One item in the pipeline, and the conversion of exceptions into its failure record.
#pragma once

#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch/manifest.hpp"
#include "batch/plan.hpp"
#include "cli/exit_code.hpp"
#include "engine/image_job.hpp"
#include "engine/image_memory.hpp"
#include "io/output_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {

/// Kept small: many finished items may wait in memory for an earlier one.
struct BatchItem {
  enum class State : std::uint8_t { none, begun, ready, ended };

  const PlanItem* planned = nullptr;
  State state = State::none;
  bool is_decided = false;    ///< skipped or failed before any work
  bool holds_memory = false;  ///< of the MemoryBudget
  ItemRecord record;
  std::string reason;     ///< for a failure: its message without the item's file names
  int system_error = 0;   ///< for a write failure: its errno, or 0
  bool replaced = false;  ///< an output replaced a file other than the input
  std::uint64_t pixels = 0;
  ImageMemory memory;
  InOrder in_order;
  std::vector<Message> messages;
};

/// Strips a leading "name: ". `name` is printable.
inline std::string_view without_name(std::string_view message, const std::string& name) {
  const std::string start = name + ": ";
  return message.starts_with(start) ? message.substr(start.size()) : message;
}

/// What a message says, with the name of its input (printable) if it has it not.
inline std::string text_with_name(const Message& message, const std::string& name) {
  return message.text.find(name) != std::string::npos ? message.text : name + ": " + message.text;
}

/// Strong guarantee; these throw only std::bad_alloc. An empty `reason` is derived from the message.
inline void fail(BatchItem& item, std::string_view kind, const std::string& message, std::string reason = {}) {
  const std::string name = shown_input(*item.planned);
  const std::string file = printable_name(item.planned->input);
  std::string text = message.starts_with(name) ? message : name + ": ";
  if (!message.starts_with(name)) {
    text += without_name(message, file);
  }
  std::string kind_text(kind);
  if (reason.empty()) {
    reason = without_name(without_name(text, name), printable_name(item.planned->output));
  }
  item.record.status = ItemStatus::failed;
  item.record.error_kind = std::move(kind_text);
  item.record.message = std::move(text);
  item.reason = std::move(reason);
  item.in_order = nullptr;
}

inline void skip(BatchItem& item, const char* reason) {
  item.record.message = reason;
  item.record.status = ItemStatus::skipped;
  item.record.error_kind.clear();
  item.in_order = nullptr;
}

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
inline void fail_by(BatchItem& item, const std::exception_ptr& thrown) {
  const std::string_view no_memory = name_of(ErrorKind::out_of_memory);
  try {
    std::rethrow_exception(thrown);
  } catch (const OutputError& error) {
    fail(item, name_of(error.kind()), error.what(), "cannot write: " + error.why());
    item.system_error = error.system_error();
  } catch (const Error& error) {
    fail(item, name_of(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    fail(item, no_memory, "out of memory; use fewer --jobs, or a machine with more memory");
  } catch (const std::exception& failure) {
    if (is_refused_thread(failure)) {
      fail(item, no_memory, "no thread can be started; use fewer --jobs, or a machine with more memory");
    } else {
      fail(item, "internal", std::string("internal error: ") + failure.what() + "; please report it with the input");
    }
  }
}

inline bool is_kind(const BatchItem& item, ErrorKind kind) { return item.record.error_kind == name_of(kind); }

}  // namespace gpuimg
