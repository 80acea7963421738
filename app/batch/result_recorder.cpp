// Allocates everything before it changes any count; after that, only writing the manifest can fail.
#include "batch/result_recorder.hpp"

#include <utility>

#include "cli/messages.hpp"

namespace gpuimg {
namespace {

std::string lines_of(const BatchItem& item) {
  std::string lines;
  for (const Message& message : item.messages) {
    lines += message_line(message.least, text_with_name(message, shown_input(*item.planned)));
  }
  return lines;
}

bool is_unread(const BatchItem& item) {
  return is_kind(item, ErrorKind::read) || is_kind(item, ErrorKind::decode) || is_kind(item, ErrorKind::unsupported);
}

}  // namespace

ResultRecorder::ResultRecorder(const RunSettings& settings, const RunChannels& channels,
                               const std::vector<PlanItem>& items, MemoryReserve& reserve)
    : settings_(settings), channels_(channels), reserve_(reserve), blocked_(items) {
  outcome_.counts.total = items.size();
}

void ResultRecorder::end(BatchItem& item) {
  take_turn(item);
  std::string told;
  std::string recorded;
  reserve_.retry_on_oom([&] {
    told = lines_of(item);
    recorded = is_recorded(item) ? manifest_line(item.record) : "";
    if (item.record.status == ItemStatus::failed) {
      outcome_.failures.add(item.record.error_kind, item.reason, item.record.message);
    }
  });
  count(item);
  if (!told.empty()) {
    channels_.progress.print(told);
  }
  if (!recorded.empty()) {
    channels_.manifest->write(recorded);
  }
}

void ResultRecorder::take_turn(BatchItem& item) {
  if (!item.in_order) {
    return;
  }
  if (const auto thrown = caught([&] { reserve_.retry_on_oom(item.in_order); })) {
    reserve_.retry_on_oom([&] { fail_by(item, thrown); });
  }
}

void ResultRecorder::count(BatchItem& item) {
  ProgressCounts& counts = outcome_.counts;
  switch (item.record.status) {
    case ItemStatus::done:
      ++counts.done;
      counts.pixels += item.pixels;
      counts.replaced += item.replaced ? 1 : 0;
      break;
    case ItemStatus::failed:
      ++counts.failed;
      outcome_.unread += is_unread(item) ? 1 : 0;
      break;
    case ItemStatus::begun: break;  // not a final status
    case ItemStatus::skipped: ++counts.skipped; break;
  }
  outcome_.times.add(item.record.times);
  blocked_.count(item);
  if (blocked_.is_certain() && !outcome_.fatal) {
    outcome_.fatal = ErrorKind::write;
    outcome_.why_no_output = std::move(item.reason);
  }
  must_end_ = blocked_.is_certain() || (settings_.max_errors > 0 && counts.failed >= settings_.max_errors);
  for (const ErrorKind kind : {ErrorKind::device_fault, ErrorKind::backend_unavailable}) {
    if (is_kind(item, kind) && !outcome_.fatal) {
      outcome_.fatal = kind;
    }
  }
  channels_.progress.update(counts);
}

bool ResultRecorder::is_recorded(const BatchItem& item) const {
  const bool known = item.planned->state == PlanState::done_before && !settings_.record_done_before;
  return channels_.manifest != nullptr && !known;
}

}  // namespace gpuimg
