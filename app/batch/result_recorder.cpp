// Keeps the ledger. Everything that takes memory is made first; then nothing can fail but the manifest's file.
#include "batch/result_recorder.hpp"

#include <utility>

#include "cli/messages.hpp"

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

RunLedger::RunLedger(const RunSettings& settings, const RunChannels& channels, const std::vector<PlanItem>& items,
                     MemoryReserve& reserve)
    : settings_(settings), channels_(channels), reserve_(reserve), blocked_(items) {
  outcome_.counts.total = items.size();
}

void RunLedger::end(Flight& flight) {
  take_turn(flight);
  std::string told;
  std::string recorded;
  reserve_.insist([&] {
    told = lines_of(flight);
    recorded = is_recorded(flight) ? manifest_line(flight.record) : "";
    if (flight.record.status == ItemStatus::failed) {
      outcome_.failures.add(flight.record.error_kind, flight.reason, flight.record.message);
    }
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

void RunLedger::count(Flight& flight) {
  ProgressCounts& counts = outcome_.counts;
  switch (flight.record.status) {
    case ItemStatus::done:
      ++counts.done;
      counts.pixels += flight.pixels;
      counts.replaced += flight.replaced ? 1 : 0;
      break;
    case ItemStatus::failed: ++counts.failed; break;
    case ItemStatus::begun: break;  // no item ends so
    case ItemStatus::skipped: ++counts.skipped; break;
  }
  outcome_.times.add(flight.record.times);
  blocked_.count(flight);
  if (blocked_.is_certain() && !outcome_.fatal) {
    outcome_.fatal = ErrorKind::write;
    outcome_.why_no_output = std::move(flight.reason);
  }
  must_end_ = blocked_.is_certain() || (settings_.max_errors > 0 && counts.failed >= settings_.max_errors);
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
