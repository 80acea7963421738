// Content that a worker can read later stays in the file.
#include "batch/archive_intake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "batch/batch_item.hpp"
#include "batch/outputs.hpp"
#include "codecs/codec.hpp"
#include "codecs/declared_image.hpp"
#include "engine/host_memory.hpp"
#include "engine/image_memory.hpp"
#include "text/number_text.hpp"
#include "text/path_names.hpp"

namespace gpuimg {
namespace {

/// Larger members that are no images are not held in memory.
constexpr std::uint64_t kHeldAtMost = std::uint64_t{1} << 20;

}  // namespace

ArchiveIntake::ArchiveIntake(const std::string& archive, const ImageJob& job, const GlobalOptions& globals,
                             std::uint64_t budget, bool copies_others)
    : job_(job),
      globals_(globals),
      budget_(budget),
      most_(memory_for_one(globals.max_memory)),
      copies_others_(copies_others),
      endings_(codecs::input_endings()),
      reader_(archive) {}

std::unique_ptr<ArchiveMember> ArchiveIntake::next(const std::function<bool()>& is_cancelled) {
  std::optional<TarMember> member = reader_.next();
  if (!member) {
    return nullptr;
  }
  auto taken = std::make_unique<ArchiveMember>();
  taken->member = std::move(*member);
  const std::string ending = file_ending(taken->member.name);
  taken->is_image = taken->member.is_file && std::find(endings_.begin(), endings_.end(), ending) != endings_.end();
  if (taken->is_image) {
    plan_image(*taken);
  }
  if (!job_.merges()) {
    claim_outputs(*taken);
  }
  const bool is_read = taken->is_image || copies_others_;
  if (is_read && !take_in(*taken, is_cancelled)) {
    large_ = std::move(taken->member);
    return nullptr;
  }
  return taken;
}

/// Waits for the memory that a member and its result need. Reads it now if it cannot be read later; false if it is then
/// too large to be held.
bool ArchiveIntake::take_in(ArchiveMember& taken, const std::function<bool()>& is_cancelled) {
  const TarMember& member = taken.member;
  if (taken.is_image) {
    if (member.size > budget_.bytes()) {
      fail(taken.item, name_of(ErrorKind::out_of_memory),
           fmt::format("has {} bytes, more than the memory limit; raise --max-memory", grouped(member.size)));
      return true;
    }
  }
  taken.section = reader_.section(member);
  if (!taken.section) {
    if (!taken.is_image && member.size > kHeldAtMost) {
      return false;
    }
    hold(taken, member.size, is_cancelled);
    taken.content = reader_.content(member);
  }
  if (taken.is_image) {
    const std::uint64_t all = memory_for(taken);
    release(taken);
    if (most_ && all > most_->bytes) {
      taken.content = {};
      fail(taken.item, name_of(ErrorKind::out_of_memory), why_too_large(all, *most_));
      return true;
    }
    hold(taken, all, is_cancelled);
  }
  return true;
}

void ArchiveIntake::plan_image(ArchiveMember& taken) const {
  const std::string& name = taken.member.name;
  taken.planned.input = name;
  if (!job_.merges()) {
    taken.planned.output = mirrored_name("", name, job_.ending_for(name));
  }
  taken.item.planned = &taken.planned;
  taken.item.record.input = name;
}

void ArchiveIntake::claim_outputs(const ArchiveMember& taken) {
  const std::string& name = taken.member.name;
  outputs_.add(name, taken.is_image ? job_.files_of(taken.planned.output) : std::vector<std::string>{name});
}

std::uint64_t ArchiveIntake::memory_for(const ArchiveMember& taken) const {
  const TarMember& member = taken.member;
  const codecs::DeclaredImage declared = taken.section ? codecs::declared_image_in(*taken.section, member.name)
                                                       : codecs::declared_image(taken.content.span(), member.name);
  const bool is_refused = declared.pixels() > globals_.max_pixels;  // by the decoder
  const ItemPaths paths{taken.planned.input, taken.planned.output};
  return whole_bytes(job_, paths, member.size, is_refused ? codecs::DeclaredImage{} : declared, true);
}

void ArchiveIntake::hold(ArchiveMember& taken, std::uint64_t bytes, const std::function<bool()>& is_cancelled) {
  taken.memory = budget_.acquire(bytes, is_cancelled) ? bytes : 0;
}

}  // namespace gpuimg
