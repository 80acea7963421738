// Groups failures by cause.
#include "batch/failure_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "batch/manifest.hpp"
#include "text/number_text.hpp"

namespace gpuimg {
namespace {

constexpr std::size_t kMaxCauses = 100;

/// A damaged input concerns one file, so more names are listed. Other causes affect many files in the same way.
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

}  // namespace

void FailureList::add(std::string_view kind, const std::string& reason, const std::string& message) {
  auto cause = std::find_if(causes_.begin(), causes_.end(),
                            [&](const Cause& known) { return known.kind == kind && known.reason == reason; });
  if (cause == causes_.end() && causes_.size() == kMaxCauses) {
    ++of_other_causes_;
    return;
  }
  if (cause != causes_.end() && cause->told == max_told(kind)) {
    ++cause->failures;
    return;
  }
  make_room(told_);
  std::string line = message;
  if (cause == causes_.end()) {
    make_room(causes_);
    cause = causes_.insert(causes_.end(), Cause{std::string(kind), reason});
  }
  told_.push_back(std::move(line));
  ++cause->failures;
  ++cause->told;
}

std::vector<std::string> FailureList::lines() const {
  std::vector<std::string> lines = told_;
  for (const Cause& cause : causes_) {
    if (cause.failures > cause.told) {
      lines.push_back(fmt::format("... and {} more: {}", grouped(cause.failures - cause.told), cause.reason));
    }
  }
  if (of_other_causes_ > 0) {
    lines.push_back(
        fmt::format("... and {} more with other causes; --manifest FILE records every one", grouped(of_other_causes_)));
  }
  return lines;
}

}  // namespace gpuimg
