// Reads, computes and writes one item.
#include "batch/item_processor.hpp"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <utility>

#include "batch/inputs.hpp"
#include "batch/plan.hpp"
#include "codecs/declared_image.hpp"
#include "codecs/refusals.hpp"
#include "engine/host_memory.hpp"
#include "io/output_file.hpp"

namespace gpuimg {
namespace {

constexpr const char* kOutputExists = "its output exists";

}  // namespace

ItemProcessor::ItemProcessor(const ImageJob& job, ContextPool& contexts, const RunSettings& settings,
                             ManifestWriter* manifest, MemoryBudget& budget, MemoryReserve& reserve,
                             std::function<bool()> is_cancelled)
    : job_(job),
      contexts_(contexts),
      settings_(settings),
      manifest_(manifest),
      budget_(budget),
      reserve_(reserve),
      is_cancelled_(std::move(is_cancelled)) {}

void ItemProcessor::begin(BatchItem& item, const PlanItem& planned) const {
  reserve_.retry_on_oom([&] {
    item = BatchItem();
    item.planned = &planned;
    item.record = settings_.blank;
    item.record.input = planned.input;
    item.record.output = planned.output;
    item.record.page = planned.page.number;
    item.record.has_later = !planned.lost.empty();
    (void)read_file_facts(planned.input, item.record.bytes, item.record.mtime_ns);
    if (planned.state == PlanState::done_before) {
      item.record.files = job_.files_of(planned.output);
    }
    if (!planned.lost.empty()) {
      fail_by(item, caught([&] { codecs::refuse_lost_pages(shown_input(planned), planned.lost); }));
      item.is_decided = true;
    } else if (planned.state != PlanState::to_do) {
      skip(item, planned.state == PlanState::done_before ? "done before" : kOutputExists);
      item.is_decided = true;
    }
    if (planned.earlier != nullptr) {
      item.record.result = planned.earlier->result;
      item.in_order =
          job_.again(shown_input(ItemPaths{planned.input, planned.output, planned.page}), item.record.result);
    }
  });
  if (!item.is_decided) {
    plan_memory(item);
  }
  item.state = item.is_decided ? BatchItem::State::ready : BatchItem::State::begun;
}

void ItemProcessor::plan_memory(BatchItem& item) const {
  const GlobalOptions& options = settings_.worker;
  const PlanItem& planned = *item.planned;
  const ItemPaths paths{planned.input, planned.output,
                        planned.page.number > 0 ? planned.page : codecs::PageRef{options.page}};
  codecs::DeclaredImage declared;
  // If memory runs out here, the decoder reports it later.
  (void)caught([&] { reserve_.retry_on_oom([&] { declared = codecs::declared_image_in(paths.input, paths.page); }); });
  item.pixels = declared.pixels();
  if (declared.pixels() > options.max_pixels) {
    declared = codecs::DeclaredImage();  // the decoder refuses the image
  }
  const std::uint64_t share = budget_.bytes() / static_cast<std::uint64_t>(settings_.jobs);
  reserve_.retry_on_oom([&] { item.memory = memory_of(job_, paths, item.record.bytes, declared, options, share); });
  if (settings_.most_bytes && item.memory.bytes > settings_.most_bytes->bytes) {
    reserve_.retry_on_oom([&] {
      fail(item, name_of(ErrorKind::out_of_memory), why_too_large(item.memory.bytes, *settings_.most_bytes));
    });
    item.is_decided = true;
  }
}

void ItemProcessor::compute(BatchItem& item) {
  Attempt made;
  // A worker that waits for its own parallel loops must not start another image.
  if (auto thrown = caught([&] { tbb::this_task_arena::isolate([&] { made = attempt(item); }); })) {
    made.thrown = std::move(thrown);
  }
  if (std::exchange(item.holds_memory, false)) {
    budget_.release(item.memory.bytes);
  }
  if (made.ends_run) {
    std::rethrow_exception(made.ends_run);
  }
  if (made.is_cut_short) {
    return;
  }
  if (made.thrown) {
    reserve_.retry_on_oom([&] { conclude(item, made.thrown); });
  }
  if (is_kind(item, ErrorKind::device_fault) || is_kind(item, ErrorKind::backend_unavailable)) {
    device_is_lost_ = true;
  }
  item.state = BatchItem::State::ready;
}

ItemProcessor::Attempt ItemProcessor::attempt(BatchItem& item) const {
  ContextPool::Lease context = contexts_.lease();
  context->begin_item(item.planned->may_replace, item.planned->page);
  if (item.memory.in_bands) {
    context->read_in_bands(item.memory.bytes);
  }
  Attempt made;
  made.thrown = caught([&] { stage(item, *context); });
  // After a cancellation, neither the result nor the failure is valid.
  made.is_cut_short = is_cancelled_();
  if (made.is_cut_short) {
    item.in_order = nullptr;
    return made;
  }
  if (!made.thrown) {
    give_names(item, *context, made);
  }
  item.record.backend = context->backend_name();
  item.record.device = context->device();
  item.record.sides = context->sides();
  item.record.result = context->take_result();
  item.record.times = context->times();
  item.messages = context->take_messages();
  item.replaced = settings_.force && context->has_replaced();
  // A backend may cache memory for the next image, but not a large share of the limit.
  const std::uint64_t kept = budget_.bytes() / static_cast<std::uint64_t>(2 * settings_.jobs);
  if (settings_.worker.max_memory && item.memory.bytes > kept) {
    context.discard();
  }
  return made;
}

void ItemProcessor::stage(BatchItem& item, CommandContext& context) const {
  const ItemPaths paths{item.planned->input, item.planned->output, item.planned->page};
  const auto files = job_.merges() ? std::vector<std::string>{} : job_.files_of(paths.output);
  for (const std::string& file : files) {
    make_folder_of(file);
    context.check_output_file(file, paths.input, job_.is_binary(file));
  }
  item.in_order = job_.run(context, paths);
}

void ItemProcessor::give_names(BatchItem& item, CommandContext& context, Attempt& made) const {
  std::string line;
  made.thrown = caught([&] {
    if (device_is_lost_ && context.device()) {
      throw Error(ErrorKind::device_fault,
                  "the device was lost during the computation; nothing was written; check it with gpuimg doctor");
    }
    line = line_before_names(item);
  });
  if (!made.thrown && !line.empty()) {
    made.ends_run = caught([&] { manifest_->write(line); });
  }
  if (!made.thrown && !made.ends_run) {
    made.thrown = caught([&] { context.finish(); });
  }
}

std::string ItemProcessor::line_before_names(const BatchItem& item) const {
  if (manifest_ == nullptr || job_.merges()) {
    return {};
  }
  std::vector<std::string> files = job_.files_of(item.planned->output);
  if (files.empty()) {
    return {};
  }
  check_still_absent(*item.planned, files);
  ItemRecord begun = item.record;
  begun.status = ItemStatus::begun;
  if (!item.planned->is_in_place) {
    begun.files = std::move(files);
  }
  return manifest_line(begun);
}

/// Otherwise the manifest would claim another program's new file as gpuimg's.
void ItemProcessor::check_still_absent(const PlanItem& item, const std::vector<std::string>& files) const {
  const bool may_exist = item.may_replace || item.is_in_place || settings_.force;
  for (const std::string& file : files) {
    if (!may_exist && identity_of(file)) {
      fail_writing(file, "another program created it during the run; use --force to replace it, or another name");
    }
  }
}

void ItemProcessor::conclude(BatchItem& item, const std::exception_ptr& thrown) const {
  fail_by(item, thrown);
  // Another process may write to the same folder.
  if (settings_.skip_existing && is_kind(item, ErrorKind::write) && has_output(*item.planned)) {
    skip(item, kOutputExists);
  }
}

bool ItemProcessor::has_output(const PlanItem& item) const { return all_exist(job_.files_of(item.output)); }

}  // namespace gpuimg
