// What is told about one input: the time of each phase, which sides decoded and encoded, where it was computed,
// messages, and what it adds to the output of a run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/messages.hpp"
#include "engine/phase_times.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

/// A message about one input, kept until the input's turn to print.
struct Message {
  Verbosity least = Verbosity::normal;  ///< printed at this verbosity and above
  std::string text;
};

class ItemReport {
 public:
  /// Whether messages are printed at once, or kept for take_messages(): a batch prints those of an input together.
  enum class Messages { printed, kept };

  ItemReport(Verbosity verbosity, Messages messages) : verbosity_(verbosity), messages_are_(messages) {}

  /// For the next input: forgets everything but the watcher.
  void begin();

  void note(std::string text) { tell({Verbosity::normal, std::move(text)}); }
  void detail(std::string text) { tell({Verbosity::verbose, std::move(text)}); }
  void tell(Message message);

  /// So many messages can then be told without allocating.
  void reserve_messages(std::size_t count) { messages_.reserve(messages_.size() + count); }
  [[nodiscard]] std::vector<Message> take_messages() { return std::exchange(messages_, {}); }
  [[nodiscard]] Messages messages_are() const { return messages_are_; }

  /// Notes that the input is computed on `backend`, on this device if the backend has devices.
  void record(const Backend& backend, int device);

  /// The backend of this input: "cpu", "cuda", or empty if none was used yet.
  [[nodiscard]] const std::string& backend_name() const { return backend_name_; }

  /// The device of this input; nullopt if its backend computes in host memory, or none was needed yet.
  [[nodiscard]] std::optional<int> device() const { return device_; }

  [[nodiscard]] PhaseTimes& times() { return times_; }
  [[nodiscard]] const PhaseTimes& times() const { return times_; }

  /// Which sides decoded the input and encoded the output.
  [[nodiscard]] CodecSides& sides() { return sides_; }
  [[nodiscard]] const CodecSides& sides() const { return sides_; }

  /// The table or the JSON of --timing.
  void print_times(bool as_json) const;

  /// What the input adds to the output of all, for the manifest.
  void keep_result(std::string result) { result_ = std::move(result); }
  [[nodiscard]] std::string take_result() { return std::exchange(result_, {}); }

  /// Progress callback for long operations: receives the part of the input that is done, 0 … 1, on any thread. May be
  /// empty.
  using Watcher = std::function<void(double part)>;
  void watch_with(Watcher watcher) { watcher_ = std::move(watcher); }
  [[nodiscard]] const Watcher& watcher() const { return watcher_; }

 private:
  Verbosity verbosity_;
  Messages messages_are_;
  std::vector<Message> messages_;
  PhaseTimes times_;
  CodecSides sides_;
  std::string backend_name_;
  std::optional<int> device_;
  std::string result_;
  Watcher watcher_;
};

}  // namespace gpuimg
