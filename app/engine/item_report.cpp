// Prints messages or keeps them.
#include "engine/item_report.hpp"

namespace gpuimg {

void ItemReport::begin() {
  messages_.clear();
  times_ = PhaseTimes();
  sides_ = {};
  backend_name_.clear();
  device_.reset();
  result_.clear();
}

void ItemReport::tell(Message message) {
  if (messages_are_ == Messages::kept) {
    if (verbosity_ >= message.least) {
      messages_.push_back(std::move(message));
    }
  } else if (message.least == Verbosity::normal) {
    print_note(verbosity_, message.text);
  } else {
    print_detail(verbosity_, message.text);
  }
}

void ItemReport::record(const Backend& backend, int device) {
  backend_name_ = backend.name();
  device_ = backend.memory_is_host() ? std::nullopt : std::optional<int>(device);
}

void ItemReport::print_times(bool as_json) const { print_report(as_json ? times_.json(sides_) : times_.table(sides_)); }

}  // namespace gpuimg
