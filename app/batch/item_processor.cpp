// Reads, computes and writes one item.
#include "batch/item_processor.hpp"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <utility>

#include "batch/existing_outputs.hpp"
#include "batch/folder_scan.hpp"
#include "io/output_error.hpp"
#include "io/output_folder.hpp"

namespace gpuimg {
namespace {

constexpr const char* kOutputExists = "its output exists";

}  // namespace

ItemWork::ItemWork(const ImageJob& job, ContextPool& contexts, const RunSettings& settings, ManifestWriter* manifest,
                   MemoryBudget& budget, MemoryReserve& reserve, std::function<bool()> is_cancelled)
    : job_(job),
      contexts_(contexts),
      settings_(settings),
      manifest_(manifest),
      budget_(budget),
      reserve_(reserve),
      is_cancelled_(std::move(is_cancelled)) {}

void ItemWork::begin(Flight& flight, const PlanItem& item) const {
  reserve_.insist([&] {
    flight = Flight();
    flight.item = &item;
    flight.record = settings_.blank;
    flight.record.input = item.input;
    flight.record.output = item.output;
    (void)read_file_facts(item.input, flight.record.bytes, flight.record.mtime_ns);
    if (item.state == PlanState::done_before) {
      flight.record.files = job_.files_of(item.output);
    }
    if (item.state != PlanState::to_do) {
      skip(flight, item.state == PlanState::done_before ? "done before" : kOutputExists);
      flight.is_decided = true;
    }
  });
  if (!flight.is_decided) {
    plan_memory(flight);
  }
  flight.state = flight.is_decided ? Flight::State::ready : Flight::State::begun;
}

void ItemWork::plan_memory(Flight& flight) const {
  // Without the memory to look, whoever decodes it says what is wrong.
  codecs::DeclaredImage declared;
  (void)caught([&] { reserve_.insist([&] { declared = codecs::declared_image_in(flight.item->input); }); });
  flight.pixels = declared.pixels;
  const bool is_refused = declared.pixels > settings_.max_pixels;
  flight.memory = expected_memory(job_, flight.record.bytes, is_refused ? codecs::DeclaredImage() : declared);
  if (settings_.budget_is_limit && flight.memory > budget_.bytes()) {
    reserve_.insist([&] {
      fail(flight, name_of(ErrorKind::out_of_memory),
           fmt::format("needs about {} MB of memory, and --max-memory leaves {} MB; raise it", flight.memory >> 20,
                       budget_.bytes() >> 20));
    });
    flight.is_decided = true;
  }
}

void ItemWork::compute(Flight& flight) {
  Attempt made;
  // A worker that waits for parts of its own image must not begin another one meanwhile.
  if (auto thrown = caught([&] { tbb::this_task_arena::isolate([&] { made = attempt(flight); }); })) {
    made.thrown = std::move(thrown);
  }
  if (std::exchange(flight.holds_memory, false)) {
    budget_.release(flight.memory);
  }
  if (made.ends_run) {
    std::rethrow_exception(made.ends_run);
  }
  if (made.is_cut_short) {
    return;
  }
  if (made.thrown) {
    reserve_.insist([&] { conclude(flight, made.thrown); });
  }
  if (is_kind(flight, ErrorKind::device_fault) || is_kind(flight, ErrorKind::backend_unavailable)) {
    device_is_lost_ = true;
  }
  flight.state = Flight::State::ready;
}

ItemWork::Attempt ItemWork::attempt(Flight& flight) const {
  ContextPool::Lease context = contexts_.lease();
  context->begin_item(flight.item->may_replace);
  Attempt made;
  made.thrown = caught([&] { stage(flight, *context); });
  // What is cancelled says nothing: neither its result nor its failure is true.
  made.is_cut_short = is_cancelled_();
  if (made.is_cut_short) {
    flight.in_order = nullptr;
    return made;
  }
  if (!made.thrown) {
    give_names(flight, *context, made);
  }
  flight.record.backend = context->backend_name();
  flight.record.device = context->device();
  flight.record.times = context->times();
  flight.messages = context->take_messages();
  flight.replaced = settings_.force && context->has_replaced();
  // A backend may keep memory for the next image: not what is a good part of the limit.
  if (settings_.budget_is_limit && flight.memory > budget_.bytes() / static_cast<std::uint64_t>(2 * settings_.jobs)) {
    context.discard();
  }
  return made;
}

void ItemWork::stage(Flight& flight, CommandContext& context) const {
  const ItemPaths paths{flight.item->input, flight.item->output};
  const auto files = job_.merges() ? std::vector<std::string>{} : job_.files_of(paths.output);
  for (const std::string& file : files) {
    make_folder_of(file);
    context.check_output_file(file, paths.input, job_.is_binary(file));
  }
  flight.in_order = job_.run(context, paths);
}

void ItemWork::give_names(Flight& flight, CommandContext& context, Attempt& made) const {
  std::string line;
  made.thrown = caught([&] {
    if (device_is_lost_ && context.device()) {
      throw Error(ErrorKind::device_fault, "a device was lost while it was computed; nothing was written");
    }
    line = line_before_names(flight);
  });
  if (!made.thrown && !line.empty()) {
    made.ends_run = caught([&] { manifest_->write(line); });
  }
  if (!made.thrown && !made.ends_run) {
    made.thrown = caught([&] { context.finish(); });
  }
}

std::string ItemWork::line_before_names(const Flight& flight) const {
  if (manifest_ == nullptr || job_.merges()) {
    return {};
  }
  std::vector<std::string> files = job_.files_of(flight.item->output);
  if (files.empty()) {
    return {};
  }
  check_still_absent(*flight.item, files);
  ItemRecord begun = flight.record;
  begun.status = ItemStatus::begun;
  if (!flight.item->is_in_place) {
    begun.files = std::move(files);
  }
  return manifest_line(begun);
}

/// Or the manifest would say of what another program made meanwhile that it is gpuimg's.
void ItemWork::check_still_absent(const PlanItem& item, const std::vector<std::string>& files) const {
  const bool may_exist = item.may_replace || item.is_in_place || settings_.force;
  for (const std::string& file : files) {
    if (!may_exist && identity_of(file)) {
      fail_writing(file, "another program made it meanwhile; use --force to replace it, or another name");
    }
  }
}

void ItemWork::conclude(Flight& flight, const std::exception_ptr& thrown) const {
  fail_by(flight, thrown);
  // Another process may work in the same folder.
  if (settings_.skip_existing && is_kind(flight, ErrorKind::write) && has_output(*flight.item)) {
    skip(flight, kOutputExists);
  }
}

bool ItemWork::has_output(const PlanItem& item) const { return all_exist(job_.files_of(item.output)); }

}  // namespace gpuimg
