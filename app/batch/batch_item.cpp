// Turns exceptions into failures, groups failures and notes by cause, and counts consecutive write failures.
#include "batch/batch_item.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <new>
#include <utility>

#include "cli/exit_code.hpp"
#include "io/output_file.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// Strips a leading "name: ". `name` is printable.
std::string_view without_name(std::string_view message, const std::string& name) {
  const std::string start = name + ": ";
  return message.starts_with(start) ? message.substr(start.size()) : message;
}

constexpr std::size_t kMaxCauses = 100;
constexpr std::uint64_t kMaxToldNotes = 3;

/// The number of files that are listed for a cause. Each damaged input is a separate problem, so more of their names
/// are listed. Other causes affect many files in the same way, so a few names are sufficient.
std::uint64_t max_told(std::string_view kind) {
  const auto is = [&](ErrorKind known) { return kind == name_of(known); };
  return is(ErrorKind::read) || is(ErrorKind::decode) || is(ErrorKind::unsupported) ? 20 : 3;
}

template <class T>
void make_room(std::vector<T>& list) {
  if (list.size() == list.capacity()) {
    list.reserve(2 * list.size() + 8);
  }
}

std::string_view folder_part(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

bool is_of_the_file_system(int system_error) {
  return system_error == ENOSPC || system_error == EDQUOT || system_error == EROFS;
}

bool is_of_the_folder(int system_error) { return system_error == EACCES || system_error == EPERM; }

}  // namespace

std::string text_with_name(std::string_view message, const PlanItem& item) {
  const std::string name = shown_input(item);
  return message.find(name) != std::string_view::npos
             ? std::string(message)
             : fmt::format("{}: {}", name, without_name(message, printable_name(item.input)));
}

std::string text_without_names(std::string_view message, const PlanItem& item) {
  const std::string_view text = without_name(without_name(message, shown_input(item)), printable_name(item.input));
  return std::string(without_name(text, printable_name(item.output)));
}

void fail(BatchItem& item, std::string_view kind, const std::string& message, std::string reason) {
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

void skip(BatchItem& item, const char* reason) {
  item.record.message = reason;
  item.record.status = ItemStatus::skipped;
  item.record.error_kind.clear();
  item.in_order = nullptr;
}

void fail_by(BatchItem& item, const std::exception_ptr& thrown) {
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
    if (is_rejected_thread(failure)) {
      fail(item, no_memory, "no thread can be started; use fewer --jobs, or a machine with more memory");
    } else {
      fail(item, "internal", std::string("internal error: ") + failure.what() + "; please report it with the input");
    }
  }
}

bool CauseCounts::add(std::string_view kind, const std::string& reason, std::uint64_t most, Others others) {
  auto cause = std::find_if(causes_.begin(), causes_.end(),
                            [&](const Cause& known) { return known.kind == kind && known.reason == reason; });
  if (cause == causes_.end()) {
    if (causes_.size() == kMaxCauses) {
      of_other_causes_ += others == Others::counted ? 1 : 0;
      return others == Others::told;
    }
    make_room(causes_);
    cause = causes_.insert(causes_.end(), Cause{std::string(kind), reason});
  }
  ++cause->count;
  const bool is_told = cause->told < most;
  cause->told += is_told ? 1 : 0;
  return is_told;
}

std::vector<std::string> CauseCounts::rest(std::string_view of_others) const {
  std::vector<std::string> lines;
  for (const Cause& cause : causes_) {
    if (cause.count > cause.told) {
      lines.push_back(fmt::format("... and {} more: {}", grouped(cause.count - cause.told), cause.reason));
    }
  }
  if (of_other_causes_ > 0) {
    lines.push_back(fmt::format("... and {} more {}", grouped(of_other_causes_), of_others));
  }
  return lines;
}

std::string NoteFolder::line_of(const BatchItem& item, const Message& message, Verbosity verbosity) {
  std::string line = message_line(message.least, text_with_name(message.text, *item.planned));
  if (verbosity == Verbosity::verbose) {
    return line;
  }
  const std::string reason = text_without_names(message.text, *item.planned);
  return counts_.add("note", reason, kMaxToldNotes, CauseCounts::Others::told) ? line : std::string();
}

void FailureList::add(std::string_view kind, const std::string& reason, const std::string& message) {
  make_room(printed_notes_);
  std::string line = message;
  if (causes_.add(kind, reason, max_told(kind))) {
    printed_notes_.push_back(std::move(line));
  }
}

std::vector<std::string> FailureList::lines() const {
  std::vector<std::string> lines = printed_notes_;
  for (std::string& line : causes_.rest("with other causes; --manifest FILE records every one")) {
    lines.push_back(std::move(line));
  }
  return lines;
}

void BlockedOutput::count(const BatchItem& item) noexcept {
  if (item.record.status == ItemStatus::skipped) {
    return;
  }
  const int system_error = item.record.status == ItemStatus::failed ? item.system_error : 0;
  in_a_row_ = system_error != 0 && system_error == system_error_ ? in_a_row_ + 1 : 1;
  system_error_ = system_error;
  is_certain_ = is_certain_ || (system_error != 0 && in_a_row_ >= kInARow && strikes_the_rest(item));
}

/// Even if one folder is blocked, other output folders of the run may still be writable.
bool BlockedOutput::strikes_the_rest(const BatchItem& item) const noexcept {
  if (!is_of_the_folder(system_error_)) {
    return is_of_the_file_system(system_error_);
  }
  const auto next = items_.begin() + (item.planned - items_.data()) + 1;
  const std::string_view folder = folder_part(item.planned->output);
  return std::all_of(next, items_.end(), [&](const PlanItem& planned) {
    return planned.state != PlanState::to_do || folder_part(planned.output) == folder;
  });
}

}  // namespace gpuimg
