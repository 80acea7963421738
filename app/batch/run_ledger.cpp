// Keeps the ledger. Everything that takes memory is made first; then nothing can fail but the manifest's file.
#include "batch/run_ledger.hpp"

#include <utility>

#include "messages.hpp"

namespace gpuimg {
namespace {

std::string lines_of(const Flight& flight) {
  const std::string name = printable_name(flight.item->input);
  std::string lines;
  for (const Message& message : flight.messages) {
    const bool named = message.text.find(name) != std::string::npos;
    lines += message_line(message.least, named ? message.text : name + ": " + message.text);
  }
  return lines;
}

}  // namespace

RunLedger::RunLedger(const RunSettings& settings, const RunChannels& channels, std::uint64_t items,
                     MemoryReserve& reserve)
    : settings_(settings), channels_(channels), reserve_(reserve) {
  outcome_.counts.total = items;
}

void RunLedger::end(Flight& flight) {
  take_turn(flight);
  std::string told;
  std::string recorded;
  reserve_.insist([&] {
    told = lines_of(flight);
    recorded = is_recorded(flight) ? manifest_line(flight.record) : "";
    make_room();
  });
  count(flight);
  if (!told.empty()) {
    channels_.progress.print(told);
  }
  if (!recorded.empty()) {
    channels_.manifest->write(recorded);
  }
}

void RunLedger::take_turn(Flight& flight) {
  if (!flight.in_order) {
    return;
  }
  if (const auto thrown = caught([&] { reserve_.insist(flight.in_order); })) {
    reserve_.insist([&] { fail_by(flight, thrown); });
  }
}

/// For one more failure.
void RunLedger::make_room() {
  std::vector<std::string>& failures = outcome_.failures;
  if (failures.size() == failures.capacity()) {
    failures.reserve(2 * failures.size() + 8);
  }
}

void RunLedger::count(Flight& flight) {
  ProgressCounts& counts = outcome_.counts;
  switch (flight.record.status) {
    case ItemStatus::done:
      ++counts.done;
      counts.pixels += flight.pixels;
      break;
    case ItemStatus::failed:
      ++counts.failed;
      outcome_.failures.push_back(std::move(flight.record.message));
      break;
    case ItemStatus::begun: break;  // no item ends so
    case ItemStatus::skipped: ++counts.skipped; break;
  }
  outcome_.times.add(flight.record.times);
  too_many_failed_ = settings_.max_errors > 0 && counts.failed >= settings_.max_errors;
  for (const ErrorKind kind : {ErrorKind::device_fault, ErrorKind::backend_unavailable}) {
    if (is_kind(flight, kind) && !outcome_.fatal) {
      outcome_.fatal = kind;
    }
  }
  channels_.progress.update(counts);
}

bool RunLedger::is_recorded(const Flight& flight) const {
  const bool known = flight.item->state == PlanState::done_before && !settings_.record_done_before;
  return channels_.manifest != nullptr && !known;
}

}  // namespace gpuimg
