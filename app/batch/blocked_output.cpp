// Counts consecutive write failures.
#include "batch/blocked_output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace gpuimg {
namespace {

std::string_view folder_part(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

bool is_of_the_file_system(int system_error) {
  return system_error == ENOSPC || system_error == EDQUOT || system_error == EROFS;
}

bool is_of_the_folder(int system_error) { return system_error == EACCES || system_error == EPERM; }

}  // namespace

void BlockedOutput::count(const BatchItem& item) noexcept {
  if (item.record.status == ItemStatus::skipped) {
    return;
  }
  const int system_error = item.record.status == ItemStatus::failed ? item.system_error : 0;
  in_a_row_ = system_error != 0 && system_error == system_error_ ? in_a_row_ + 1 : 1;
  system_error_ = system_error;
  is_certain_ = is_certain_ || (system_error != 0 && in_a_row_ >= kInARow && strikes_the_rest(item));
}

/// Other output folders of the run may still be writable.
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
