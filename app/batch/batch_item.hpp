// An item on its way through the pipeline, and how what is thrown on the way becomes its failure.
#pragma once

#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch/manifest.hpp"
#include "batch/work_plan.hpp"
#include "cli/refused_thread.hpp"
#include "engine/image_job.hpp"
#include "io/output_error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {

/// Small: many that have ended may wait for one before them.
struct Flight {
  enum class State : std::uint8_t { none, begun, ready, ended };

  const PlanItem* item = nullptr;
  State state = State::none;
  bool is_decided = false;    ///< skipped or failed before any work
  bool holds_memory = false;  ///< of the budget
  ItemRecord record;
  std::string reason;     ///< of a failure: its message without the names of the item's files
  int system_error = 0;   ///< of a failure to write: the errno behind it, if any
  bool replaced = false;  ///< an output took the place of another file than the input
  std::uint64_t pixels = 0;
  std::uint64_t memory = 0;
  InOrder in_order;
  std::vector<Message> messages;
};

/// "name: why" without the name.
inline std::string_view without_name(std::string_view message, const std::string& name) {
  const std::string start = printable_name(name) + ": ";
  return message.starts_with(start) ? message.substr(start.size()) : message;
}

/// These have no effect where they throw, which is for want of memory alone. `reason` is for the flight's; it is found
/// in the message where it is empty.
inline void fail(Flight& flight, std::string_view kind, const std::string& message, std::string reason = {}) {
  const std::string name = printable_name(flight.item->input);
  std::string text = message.starts_with(name) ? message : name + ": " + message;
  std::string kind_text(kind);
  if (reason.empty()) {
    reason = without_name(without_name(text, flight.item->input), flight.item->output);
  }
  flight.record.status = ItemStatus::failed;
  flight.record.error_kind = std::move(kind_text);
  flight.record.message = std::move(text);
  flight.reason = std::move(reason);
  flight.in_order = nullptr;
}

inline void skip(Flight& flight, const char* reason) {
  flight.record.message = reason;
  flight.record.status = ItemStatus::skipped;
  flight.record.error_kind.clear();
  flight.in_order = nullptr;
}

/// What work() throws; nothing if it returns.
template <class Work>
std::exception_ptr caught(const Work& work) noexcept {
  try {
    work();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

/// Makes of what was thrown the flight's failure.
inline void fail_by(Flight& flight, const std::exception_ptr& thrown) {
  const std::string_view no_memory = name_of(ErrorKind::out_of_memory);
  try {
    std::rethrow_exception(thrown);
  } catch (const OutputError& error) {
    fail(flight, name_of(error.kind()), error.what(), "cannot write: " + error.why());
    flight.system_error = error.system_error();
  } catch (const Error& error) {
    fail(flight, name_of(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    fail(flight, no_memory, "out of memory; use fewer --jobs, or a machine with more memory");
  } catch (const std::exception& failure) {
    if (is_refused_thread(failure)) {
      fail(flight, no_memory, "no thread can be started; use fewer --jobs, or a machine with more memory");
    } else {
      fail(flight, "internal", std::string("internal error: ") + failure.what() + "; please report it with the input");
    }
  }
}

inline bool is_kind(const Flight& flight, ErrorKind kind) { return flight.record.error_kind == name_of(kind); }

}  // namespace gpuimg
