// Reports the result of a run and chooses its exit code. docs/batch.md, "Progress" and "Failures".
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "batch/batch_item.hpp"
#include "batch/batch_session.hpp"
#include "batch/failures.hpp"
#include "cli/messages.hpp"

namespace gpuimg {

std::vector<std::string> BatchSession::failure_lines(const RunOutcome& outcome) const {
  std::vector<std::string> lines = outcome.failures.lines();
  if (outcome.fatal == ErrorKind::write) {
    const std::string again = !arguments_.manifest.empty()          ? " with --resume " + arguments_.manifest
                              : globals_.force || globals_.in_place ? ""
                                                                    : " with --skip-existing";
    lines.push_back(fmt::format("the run ended because {} outputs in a row failed: {}; then run the command again{}",
                                BlockedOutput::kInARow, outcome.why_no_output, again));
  }
  return lines;
}

void BatchSession::print_failures(const RunOutcome& outcome, MemoryReserve& reserve) const {
  std::vector<std::string> lines;
  if (caught([&] { reserve.retry_on_oom([&] { lines = failure_lines(outcome); }); })) {
    print_out_of_memory();
  }
  std::for_each(lines.begin(), lines.end(), print_error);
}

std::string BatchSession::summary(const RunOutcome& outcome, double seconds) const {
  std::string text;
  if (globals_.timing) {
    text = globals_.json ? outcome.times.json() : outcome.times.table();
  }
  if (globals_.verbosity != Verbosity::quiet) {
    text += summary_line(outcome.counts, seconds);
  }
  return text;
}

ExitCode BatchSession::concluded(const WorkPlan& plan, const RunOutcome& outcome, const StopSignal& stop) const {
  if (outcome.fatal == ErrorKind::out_of_memory) {
    print_error("out of memory between images; finished outputs are kept: continue with --resume or --skip-existing");
  }
  if (outcome.fatal) {
    return exit_code_of(*outcome.fatal);
  }
  if (const auto code = stop.exit_code(); code && outcome.counts.ended() < outcome.counts.total) {
    return *code;
  }
  // One file, of which nothing can be read, is not one of many.
  const auto is_of_first_file = [&](const PlanItem& item) { return item.input == plan.items.front().input; };
  if (globals_.all_pages && outcome.unread > 0 && outcome.unread == plan.items.size() &&
      std::all_of(plan.items.begin(), plan.items.end(), is_of_first_file)) {
    return ExitCode::bad_input;
  }
  return outcome.counts.failed > 0 ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace gpuimg
