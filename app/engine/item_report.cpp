// Formats phase times; prints messages or keeps them.
#include "engine/item_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/number_text.hpp"

namespace gpuimg {
namespace {

std::string side_of(Phase phase, const CodecSides& sides) {
  return phase == Phase::decode ? sides.decoded_by : phase == Phase::encode ? sides.encoded_by : "";
}

}  // namespace

std::optional<Phase> PhaseTimes::switch_to(std::optional<Phase> next) {
  if (running_) {
    milliseconds_[static_cast<std::size_t>(*running_)] += since(since_);
  }
  since_ = Clock::now();
  return std::exchange(running_, next);
}

void PhaseTimes::add(const PhaseTimes& other) {
  for (std::size_t i = 0; i < milliseconds_.size(); ++i) {
    milliseconds_[i] += other.milliseconds_[i];
  }
  for (std::size_t i = 0; i < other.steps_.size(); ++i) {
    make_step({i + 1, other.steps_[i].name});
    steps_[i].milliseconds += other.steps_[i].milliseconds;
  }
}

void PhaseTimes::make_room(const PhaseTimes& other) { steps_.resize(std::max(steps_.size(), other.steps_.size())); }

void PhaseTimes::make_step(const StepPlace& step) {
  if (step.place > 0) {
    steps_.resize(std::max(steps_.size(), step.place));
    if (!step.name.empty()) {
      steps_[step.place - 1].name = step.name;
    }
  }
}

std::size_t PhaseTimes::switch_to_step(std::size_t next_place) {
  if (running_step_ > 0) {
    steps_[running_step_ - 1].milliseconds += since(step_since_);
  }
  step_since_ = Clock::now();
  return std::exchange(running_step_, next_place);
}

std::string PhaseTimes::table(const CodecSides& sides) const {
  std::string text;
  for (std::size_t i = 0; i < milliseconds_.size(); ++i) {
    const std::string side = side_of(static_cast<Phase>(i), sides);
    append_format(text, "{:<9}{:>10.3f} ms{}\n", kPhaseNames[i], milliseconds_[i], side.empty() ? "" : " on " + side);
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    append_format(text, "{:<9}{:>10.3f} ms step {}\n", steps_[i].name, steps_[i].milliseconds, i + 1);
  }
  append_format(text, "{:<9}{:>10.3f} ms\n", "total", total_ms());
  return text;
}

std::string PhaseTimes::json(const CodecSides& sides) const {
  std::string text = "{";
  for (std::size_t i = 0; i < kPhaseNames.size(); ++i) {
    append_format(text, "\"{}_ms\": {:.3f}, ", kPhaseNames[i], milliseconds_[i]);
  }
  append_format(text, "\"total_ms\": {:.3f}", total_ms());
  if (!sides.decoded_by.empty()) {
    append_format(text, ", \"decoded_by\": \"{}\"", sides.decoded_by);
  }
  if (!sides.encoded_by.empty()) {
    append_format(text, ", \"encoded_by\": \"{}\"", sides.encoded_by);
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    append_format(text, "{}{{\"step\": \"{}\", \"ms\": {:.3f}}}", i == 0 ? ", \"steps\": [" : ", ", steps_[i].name,
                  steps_[i].milliseconds);
  }
  return text + (steps_.empty() ? "}\n" : "]}\n");
}

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

void ItemReport::add_part(const ItemReport& part, std::vector<Message> messages) {
  for (Message& message : messages) {
    tell(std::move(message));
  }
  times_.add(part.times_);
  sides_ = part.sides_;
  backend_name_ = part.backend_name_;
  device_ = part.device_;
}

void ItemReport::print_times(bool as_json) const { print_report(as_json ? times_.json(sides_) : times_.table(sides_)); }

}  // namespace gpuimg
