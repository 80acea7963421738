// Takes members from an archive, one after another, as memory allows. docs/batch.md, "Archives".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batch/archive_member.hpp"
#include "batch/outputs.hpp"
#include "cli/global_options.hpp"
#include "engine/host_memory.hpp"
#include "engine/image_job.hpp"
#include "engine/memory_budget.hpp"
#include "io/tar.hpp"

namespace gpuimg {

/// One thread calls it, except for release().
class ArchiveIntake {
 public:
  /// `budget` is in bytes. `copies_others`: members that are no images are read too.
  ArchiveIntake(const std::string& archive, const ImageJob& job, const GlobalOptions& globals, std::uint64_t budget,
                bool copies_others);

  /// The next member. Null at the end of the archive, and at a member that is too large to be held: take_large().
  /// Throws what TarReader throws, and Error{usage} for a member that would have the name of another one; what came
  /// before is not affected. Waits for memory until `is_cancelled()`.
  std::unique_ptr<ArchiveMember> next(const std::function<bool()>& is_cancelled);

  /// The member at which next() stopped, once; its content follows by read().
  std::optional<TarMember> take_large() { return std::exchange(large_, std::nullopt); }
  void read(const TarMember& member, std::span<std::byte> room) { reader_.read(member, room); }

  /// Gives back the memory that a member held. Thread-safe.
  void release(ArchiveMember& taken) { budget_.release(std::exchange(taken.memory, 0)); }

 private:
  bool take_in(ArchiveMember& taken, const std::function<bool()>& is_cancelled);
  void plan_image(ArchiveMember& taken) const;
  void claim_outputs(const ArchiveMember& taken);
  [[nodiscard]] std::uint64_t memory_for(const ArchiveMember& taken) const;
  void hold(ArchiveMember& taken, std::uint64_t bytes, const std::function<bool()>& is_cancelled);

  const ImageJob& job_;
  const GlobalOptions& globals_;
  MemoryBudget budget_;
  std::optional<MostMemory> most_;  ///< an image that needs more fails
  bool copies_others_;
  std::vector<std::string> endings_;  ///< of images: a .json of an archive is a label, also for --merge
  TarReader reader_;
  MemberOutputs outputs_;
  std::optional<TarMember> large_;
};

}  // namespace gpuimg
