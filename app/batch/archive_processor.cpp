// The same steps as for a file of a batch; input and outputs are in memory.
#include "batch/archive_processor.hpp"

#include <tbb/task_arena.h>

#include <utility>

#include "batch/batch_item.hpp"
#include "io/tar.hpp"

namespace gpuimg {
namespace {

bool ends_run(const BatchItem& item) {
  return is_kind(item, ErrorKind::device_fault) || is_kind(item, ErrorKind::backend_unavailable);
}

void compute(ArchiveMember& taken, const ImageJob& job, CommandContext& context) {
  BatchItem& item = taken.item;
  const auto work = [&] {
    const ItemPaths paths{taken.planned.input, taken.planned.output};
    if (!job.merges()) {
      job.check_name(paths.output);
    }
    item.in_order = job.run(context, paths);
  };
  // A worker that waits for its own parallel loops must not start another image.
  if (const auto thrown = caught([&] { tbb::this_task_arena::isolate(work); })) {
    (void)context.take_outputs();
    fail_by(item, thrown);
    if (ends_run(item)) {
      std::rethrow_exception(thrown);
    }
  }
  item.record.times = context.times();
  item.messages = context.take_messages();
}

void process_image(ArchiveMember& taken, const ImageJob& job, CommandContext& context) {
  const TarMember& member = taken.member;
  if (taken.section) {
    context.begin_member(member.name, *taken.section);
  } else {
    context.begin_member(member.name, std::move(taken.content));
  }
  compute(taken, job, context);
  for (ItemOutputs::Kept& made : context.take_outputs()) {
    taken.pieces.push_back({tar_header(member, made.name, made.content->size()), std::move(made.content)});
  }
}

/// It needs no more than a header.
void copy(ArchiveMember& taken) {
  const TarMember& member = taken.member;
  const auto content = std::make_shared<FileContent>(LentBytes{taken.content.span(), nullptr});
  content->parts().append(taken.content.span());
  taken.pieces.push_back({tar_header(member, member.name, member.size), content, taken.section});
}

}  // namespace

void process_member(ArchiveMember& taken, const ImageJob& job, ContextPool& contexts, bool copies_others) {
  if (!taken.is_image) {
    if (copies_others) {
      copy(taken);
    }
  } else if (taken.item.record.status != ItemStatus::failed) {
    process_image(taken, job, *contexts.lease());
  }
}

}  // namespace gpuimg
