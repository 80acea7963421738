// Uploads the input, runs the steps and downloads the result. Groups steps that can run together on bands or strips.
#include "engine/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "engine/memory.hpp"

namespace gpuimg {
namespace {

std::size_t bytes_of(const SharedMask& mask) { return mask ? mask->size_bytes() : 0; }

template <class AnyStep>
void check_fit(const AnyStep& step, const ImageShape& image) {
  if (step.check_fit) {
    std::optional<Picture> mask;
    if (step.mask) {
      mask.emplace(step.mask->width(), step.mask->height(), step.mask->format(), nullptr);
    }
    step.check_fit({image.width, image.height, image.format, nullptr}, mask ? &*mask : nullptr);
  }
}

/// Rejects an image or mask that does not fit a later step before an earlier step spends time. A single step checks its
/// own input.
void check_fit(const OperationInput& input, const Steps& steps, const CountStep* last = nullptr) {
  if (steps.size() + (last != nullptr ? 1 : 0) <= 1) {
    return;
  }
  ImageShape image{input.width(), input.height(), input.format()};
  for (const Step& step : steps) {
    check_fit(step, image);
    image = step.traits.result;
  }
  if (last != nullptr) {
    check_fit(*last, image);
  }
}

/// True if the step can be run on rows with a halo.
bool can_be_cut(const Step& step) {
  return step.mask == nullptr && !step.traits.reads_all_first && !step.traits.moves_rows;
}

/// True if the first rows of the step's result may need the last rows of its input, so that the input or the result
/// must be in memory as a whole.
bool turns_rows(const Step& step) { return step.traits.moves_rows && step.traits.reads_all_first; }

bool can_run_on_bands(const Steps& steps) {
  return steps.size() <= 1 || std::none_of(steps.begin(), steps.end(), turns_rows);
}

/// Consecutive steps that can be cut run on bands together; every other step cuts the bands itself.
std::vector<std::span<const Step>> groups_of(std::span<const Step> steps) {
  std::vector<std::span<const Step>> groups;
  for (auto at = steps.begin(); at != steps.end();) {
    const auto end = can_be_cut(*at) ? std::find_if_not(at, steps.end(), can_be_cut) : at + 1;
    groups.emplace_back(at, end);
    at = end;
  }
  return groups;
}

/// Which groups keep their result.
struct KeptRows {
  std::vector<bool> is_kept;  ///< for each group
  std::uint64_t bytes = 0;    ///< of the kept rows, and of the bands of all groups
};

/// Keeps results that would otherwise be computed again, as long as they fit into `room` bytes. Starts with the last
/// group, which saves most.
KeptRows kept_rows(std::span<const std::span<const Step>> groups, bool next_counts, std::uint64_t room) {
  constexpr std::uint64_t kBandRows = 2 * 16;
  KeptRows kept{std::vector<bool>(groups.size())};
  bool is_read_again = next_counts;
  for (std::size_t i = groups.size(); i-- > 0;) {
    const ImageShape& shape = groups[i].back().traits.result;
    const std::uint64_t row = static_cast<std::uint64_t>(shape.width) * shape.format.bytes_per_pixel();
    const std::uint64_t bytes = row * static_cast<std::uint64_t>(shape.height);
    kept.is_kept[i] = is_read_again && bytes <= room;
    room -= kept.is_kept[i] ? bytes : 0;
    kept.bytes += kBandRows * row + (kept.is_kept[i] ? bytes : 0);
    is_read_again = (is_read_again && !kept.is_kept[i]) || groups[i].front().traits.reads_all_first;
  }
  return kept;
}

/// Kept rows take at most 1 / kPartForKeptRows of the memory of bands.
constexpr std::uint64_t kPartForKeptRows = 4;

/// Divides the memory of strips, minus that of kept rows, among nested readers, in proportion to (halo rows + 1) ×
/// bytes per row.
template <class Readers>
std::vector<StripMemory> shared_memory(const StripMemory& all, std::uint64_t kept_bytes, const Readers& readers) {
  const auto weight = [](const auto& reader) {
    return (static_cast<std::size_t>(reader.halo_rows) + 1) * reader.row_bytes;
  };
  std::size_t sum = 0;
  for (const auto& reader : readers) {
    sum += weight(reader);
  }
  const std::size_t with_halo = all.with_halo - std::min<std::size_t>(kept_bytes, all.with_halo / 2);
  std::vector<StripMemory> memory;
  for (const auto& reader : readers) {
    memory.push_back({all.usual / readers.size(),
                      static_cast<std::size_t>(static_cast<double>(with_halo) / static_cast<double>(sum) *
                                               static_cast<double>(weight(reader)))});
  }
  return memory;
}

/// Rows that steps compute from a file's rows or from other ComputedRows. They are computed again each time they are
/// read, unless they are kept.
class ComputedRows final : public codecs::RowReader {
 public:
  /// Runs the steps on this backend, which passes the result rows to the ComputedRows.
  using Compute = std::function<void(StripedBackend& on)>;
  /// Calls read(), which passes rows to their reader, and counts its time for the reader's step.
  using Resume = std::function<void(const std::function<void()>& read)>;

  ComputedRows(const ImageShape& shape, const StripedBackend& like, const StripMemory& memory, bool is_kept,
               Compute compute, Resume resume)
      : RowReader(shape.width, shape.height, shape.format),
        on_(like.with_output(memory, [this](ConstView rows) { add_(rows); })),
        is_kept_(is_kept),
        compute_(std::move(compute)),
        resume_(std::move(resume)) {}

  bool read(const codecs::BandOutput& to, Order /*order*/) override {
    codecs::BandCutter cutter(to, 0, height());
    if (is_complete_) {
      cutter.put(std::as_const(kept_).view());
      return true;
    }
    if (is_kept_) {
      kept_ = Image(width(), height(), format());
    }
    add_ = [&](ConstView rows) {
      if (is_kept_) {
        codecs::copy_rows(rows, kept_.view(), cutter.next());
      }
      resume_([&] { cutter.put(rows); });
    };
    on_.begin_run();
    compute_(on_);
    is_complete_ = is_kept_ && !on_.is_void();
    return !on_.is_void();
  }

 private:
  StripedBackend on_;
  bool is_kept_;
  Compute compute_;
  Resume resume_;
  Image kept_;
  bool is_complete_ = false;
  TakeRows add_;  // set during read()
};

/// The needs of steps that run one after another on each strip.
struct StripNeedsOfSteps {
  int halo_rows = 0;
  std::uint64_t scratch_bytes = 0;  ///< per pixel, besides the first step's input and the last step's result
};

StripNeedsOfSteps needs_of(std::span<const Step> steps) {
  StripNeedsOfSteps needs;
  std::uint64_t before = 0;  // result of the previous step; the input is not counted
  for (const Step& step : steps) {
    const std::uint64_t result = step.traits.result.format.bytes_per_pixel();
    needs.halo_rows += step.traits.halo_rows;
    needs.scratch_bytes = std::max(needs.scratch_bytes, before + result + step.traits.device_bytes);
    before = result;
  }
  needs.scratch_bytes -= std::min(needs.scratch_bytes, before);
  return needs;
}

/// The outcome of an attempt to compute.
struct Attempt {
  bool is_complete = false;           ///< if false, bands of a file were invalid
  std::exception_ptr lack = nullptr;  ///< Error{out_of_memory}, if a device ran out of memory
};

/// Runs the work and turns Error{out_of_memory} into a result, so that the caller can retry in another placement.
/// Nothing else catches this error during the work. docs/decisions/0031-memory-that-is-gone.md.
Attempt attempted(const std::function<bool()>& work) {
  try {
    return {work()};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::out_of_memory) {
      throw;
    }
    return {false, std::current_exception()};
  }
}

/// The same pixels without a copy, for a Picture in host memory that is only read: all images of a run share one mask.
/// `image` must outlive the result.
Image lent(const Image& image) {
  auto* const pixels = const_cast<std::byte*>(image.view().data);
  return {image.width(), image.height(), image.format(), PixelMemory(pixels, {[](std::byte* /*pixels*/) {}})};
}

}  // namespace

RunNeeds::RunNeeds(const Steps& steps, const CountStep* last) {
  for (const Step& step : steps) {
    mask_bytes = std::max(mask_bytes, bytes_of(step.mask));
    only_on.push_back(step.traits.only_on);
  }
  if (last != nullptr) {
    mask_bytes = std::max(mask_bytes, bytes_of(last->mask));
    only_on.push_back(last->only_on);
  }
}

Backend& Executor::backend() {
  Backend& backend = times().measure(Phase::start, [&]() -> Backend& { return parts_.backends.get(); });
  parts_.report.record(backend, options().device);
  if (std::string text = parts_.backends.take_note(); !text.empty()) {
    parts_.report.note(std::move(text));
  }
  parts_.report.detail(
      fmt::format("backend {} ({}): {}", backend.name(), backend.description(), parts_.backends.reason()));
  return backend;
}

Picture Executor::uploaded(Backend& backend, const AttemptInput& input) {
  if (backend.memory_is_host()) {
    if (std::optional<Image> image = input.take_image()) {
      return times().measure(Phase::upload, [&] { return backend.upload(std::move(*image)); });
    }
  }
  return upload(backend, input->image.view());
}

Picture Executor::uploaded_mask(Backend& backend, const Image& mask) {
  return backend.memory_is_host() ? backend.upload(lent(mask)) : upload(backend, mask.view());
}

Picture Executor::upload(Backend& backend, ConstView pixels) {
  return times().measure(Phase::upload, [&] {
    Picture picture = backend.upload(pixels);
    backend.wait();
    return picture;
  });
}

Image Executor::downloaded(Backend& backend, const AttemptPicture& picture) {
  return times().measure(Phase::download, [&] {
    return picture.own() != nullptr ? backend.download(std::move(*picture.own())) : backend.download(picture);
  });
}

void Executor::bring_to_host(Backend& from, OperationInput& input) {
  if (input.picture) {
    input.image = downloaded(from, AttemptPicture(std::move(*input.picture)));
    input.picture.reset();
  }
}

Image Executor::process(OperationInput input, const Steps& steps) {
  check_fit(input, steps);
  return verified(std::move(input), RunNeeds(steps), [&](Backend& backend, const AttemptInput& pixels) {
    return run(backend, pixels, steps, [&](StepPixels& result) { return downloaded(*result.on, result.take()); });
  });
}

ProcessedImage Executor::process_for_file(OperationInput input, const std::optional<Encoding>& as, const Steps& steps) {
  check_fit(input, steps);
  return verified(std::move(input), RunNeeds(steps), [&](Backend& backend, const AttemptInput& pixels) {
    return run(backend, pixels, steps,
               [&](StepPixels& result) { return encoded_or_downloaded(*result.on, result.take(), as); });
  });
}

Histogram Executor::count(OperationInput input, const Steps& steps, const CountStep& last) {
  check_fit(input, steps, &last);
  return verified(std::move(input), RunNeeds(steps, &last), [&](Backend& backend, const AttemptInput& pixels) {
    const Phase phase = pixels->rows && steps.empty() ? Phase::decode : Phase::kernel;
    const auto count = [&](StepPixels& result) {
      move(result, place_of_step(backend, last.only_on));
      return run_step(*result.on, phase, result.take(), last, steps.empty() ? 0 : steps.size() + 1);
    };
    return run(backend, pixels, steps, count, &last);
  });
}

bool Executor::admit_encoder(Backend& on, const Encoding& as) {
  if (&on != parts_.backends.made() || on.memory_is_host()) {
    return false;  // strips are assembled on the host
  }
  try {
    return times().measure(Phase::start, [&] {
      return parts_.admission.admit_encoder(on, as, options().device,
                                            [&](std::string text) { parts_.report.note(std::move(text)); });
    });
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::device_fault) {
      throw;
    }
    return false;  // no memory for the test's images
  }
}

ProcessedImage Executor::encoded_or_downloaded(Backend& on, const AttemptPicture& picture,
                                               const std::optional<Encoding>& as) {
  const Picture& pixels = picture;
  ProcessedImage result;
  result.width = pixels.width();
  result.height = pixels.height();
  result.format = pixels.format();
  if (as && admit_encoder(on, *as)) {
    result.encoded = times().measure(Phase::encode, [&] { return on.encode(pixels, *as); });
    result.encoded_by = on.name();
  }
  if (!result.encoded || options().verify) {
    result.image = downloaded(on, picture);
  }
  return result;
}

Backend& Executor::cpu_for_strips() {
  parts_.report.note("the device has no memory for strips either: the CPU takes over");
  Backend& cpu = parts_.backends.other();
  parts_.report.record(cpu, options().device);
  return cpu;
}

void Executor::prepare(Placement& next, Backend& on, OperationInput& input, MemoryShare& share) {
  if (next.on_device) {
    bring_to_host(on, input);
    next.strip_memory = parts_.device_memory.room_alone(on, share);
  } else {
    share.release();
  }
}

bool Executor::run_placed(Backend& on, Placement placement, OperationInput& input, MemoryShare& share,
                          const PlacedWork& work) {
  const bool may_use_cpu = options().can_use_cpu && !options().verify;
  Backend* backend = &on;
  while (placement.on_device) {
    const Attempt made = attempted([&] { return work(*backend, placement); });
    if (!made.lack) {
      return made.is_complete;
    }
    std::optional<Placement> next = placement_after(placement, may_use_cpu);
    if (!next) {
      std::rethrow_exception(made.lack);
    }
    prepare(*next, on, input, share);
    placement = *next;
    backend = placement.on_device ? backend : &cpu_for_strips();
  }
  if (placement.kind == Placement::Kind::bands && backend != &on) {
    placement = parts_.device_memory.place_bands(*backend, parts_.loader.bytes_for_bands(), share);
  }
  return work(*backend, placement);
}

bool Executor::in_bands(Backend& on, OperationInput& input, const RunNeeds& needs, const PlacedWork& work) {
  Backend& backend = needs.are_met_by(on.kind()) ? on : parts_.backends.cpu();
  if (!needs.are_met_by(backend.kind())) {
    return false;
  }
  if (&backend != &on) {
    parts_.report.detail(fmt::format("{} lacks a step: the CPU takes over and reads the image in bands", on.name()));
    parts_.report.record(backend, options().device);
  }
  MemoryShare share;
  const Placement bands = parts_.device_memory.place_bands(backend, parts_.loader.bytes_for_bands(), share);
  return run_placed(backend, bands, input, share, work);
}

void Executor::computed(Backend& on, OperationInput input, const RunNeeds& needs, const Compute& compute) {
  MemoryShare share = parts_.device_memory.take_share();  // of a picture that is already on the device
  const auto work = [&](Backend& backend, const Placement& placement) {
    if (placement.kind == Placement::Kind::whole) {
      compute(backend, placement.on_device ? AttemptInput(std::as_const(input)) : AttemptInput(std::move(input)));
      return true;
    }
    StripedBackend strips(backend, placement.strip_memory, &times());
    compute(strips, AttemptInput(std::as_const(input)));
    return !strips.is_void();
  };
  if (input.rows) {
    if (in_bands(on, input, needs, work)) {
      return;
    }
    input.image = parts_.loader.read_whole(std::move(input.rows));
    input.rows.reset();
  }
  const std::size_t needed = device_bytes(input.width(), input.height(), input.format(), needs.mask_bytes);
  (void)run_placed(on, parts_.device_memory.place(on, needed, share), input, share, work);
}

Executor::StepPixels Executor::begin_steps(Backend& on, const AttemptInput& input, std::span<const Step>& left,
                                           const CountStep* last) {
  if (input->picture) {
    return {&on, std::nullopt, &*input->picture};
  }
  if (input->rows && last != nullptr && std::none_of(left.begin(), left.end(), turns_rows)) {
    const std::size_t place = left.size() + 1;
    const std::vector<Group> groups = groups_of(std::exchange(left, {}));
    return {&on, picture_of(rows_after(static_cast<StripedBackend&>(on), input->rows, groups, {{place, last->name}}))};
  }
  if (input->rows) {
    return {&on, picture_of(input->rows)};
  }
  Backend& first = place_of_step(on, left.empty() ? std::span<const BackendKind>() : left.front().traits.only_on);
  return {&first, uploaded(first, input)};
}

Backend& Executor::place_of_step(Backend& on, std::span<const BackendKind> only_on) {
  return is_on(on.kind(), only_on) ? on : parts_.backends.cpu();
}

void Executor::move(StepPixels& pixels, Backend& there) {
  if (pixels.on == &there) {
    return;
  }
  Image image = downloaded(*pixels.on, pixels.take());
  pixels.own = times().measure(Phase::upload, [&] {
    Picture picture = there.upload(std::move(image));
    there.wait();
    return picture;
  });
  pixels.on = &there;
}

std::size_t Executor::run_some(Backend& on, Phase phase, StepPixels& pixels, std::span<const Step> steps,
                               std::size_t place) {
  const Step& step = steps.front();
  Backend& there = place_of_step(on, step.traits.only_on);
  if (&there != &on) {
    parts_.report.detail(fmt::format("step {}, {}: {} does not have {}; the CPU runs it", place, step.name, on.name(),
                                     step.traits.what));
  }
  move(pixels, there);
  const std::span<const Step> together = steps_for_strips(there, steps);
  if (together.empty()) {
    pixels.own = run_step(there, phase, pixels.take(), step, place);
    return 1;
  }
  pixels.own = times().measure(phase, [&] { return run_on_strips(there, pixels.take(), together, place); });
  return together.size();
}

bool Executor::copy_bands(codecs::RowReader& rows, codecs::RowWriter& to) {
  constexpr int kRows = 64;
  const codecs::BandOutput output{
      kRows, [&](int count) { return Image(rows.width(), count, rows.format()); },
      [&](const codecs::RowBand& band) { times().measure(Phase::encode, [&] { to.write(band.rows.view()); }); }};
  return rows.read(output, codecs::RowReader::Order::top_down);
}

bool Executor::run_on_bands(StripedBackend& bands, const OperationInput& input, const Steps& steps) {
  const std::vector<Group> groups = groups_of(steps);
  const Group last = groups.back();
  const std::size_t place = steps.size() == 1 ? 0 : steps.size() - last.size() + 1;
  const auto rows = rows_after(bands, input.rows, std::span(groups).first(groups.size() - 1), reader_of(last, place));
  run_group(bands, picture_of(rows), last, place);
  return !bands.is_void();
}

void Executor::run_group(StripedBackend& bands, const Picture& rows, Group group, std::size_t place) {
  if (group.size() > 1) {
    (void)run_on_strips(bands, rows, group, place);
    return;
  }
  const Step& step = group.front();
  const std::optional<Picture> mask = step.mask ? std::optional(bands.upload(lent(*step.mask))) : std::nullopt;
  times().measure_step({place, step.name},
                       [&] { (void)step.run(bands, AttemptPicture(rows), mask ? &*mask : nullptr); });
}

Executor::Reader Executor::reader_of(Group group, std::size_t place) {
  return {{place, group.front().name}, needs_of(group).halo_rows, group.front().traits.reads_all_first};
}

std::shared_ptr<codecs::RowReader> Executor::rows_after(StripedBackend& bands, std::shared_ptr<codecs::RowReader> rows,
                                                        std::span<const Group> groups, const Reader& last) {
  std::vector<Reader> readers;
  std::size_t place = 1;
  for (const Group group : groups) {
    readers.push_back(reader_of(group, place));
    place += group.size();
  }
  readers.push_back(last);
  readers.front().row_bytes = static_cast<std::size_t>(rows->width()) * rows->format().bytes_per_pixel();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const ImageShape& read = groups[i].back().traits.result;
    readers[i + 1].row_bytes = static_cast<std::size_t>(read.width) * read.format.bytes_per_pixel();
  }
  const KeptRows kept = kept_rows(groups, last.counts_first, parts_.loader.bytes_for_bands() / kPartForKeptRows);
  const std::vector<StripMemory> memory = shared_memory(bands.memory(), kept.bytes, readers);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto compute = [this, group = groups[i], place = readers[i].step.place, rows](StripedBackend& on) {
      run_group(on, picture_of(rows), group, place);
    };
    const auto resume = [this, step = readers[i + 1].step](const std::function<void()>& read) {
      times().measure_step(step, read);
    };
    rows = std::make_shared<ComputedRows>(groups[i].back().traits.result, bands, memory[i], kept.is_kept[i], compute,
                                          resume);
  }
  bands.set_memory(memory.back());
  return rows;
}

Picture Executor::run_on_strips(Backend& on, const Picture& picture, std::span<const Step> steps,
                                std::size_t first_place) {
  const auto run_all = [&](Backend& inner, const Picture& strip) {
    std::optional<Picture> result;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      result = times().measure_step({first_place + i, steps[i].name}, [&] {
        Picture made =
            steps[i].run(inner, result ? AttemptPicture(std::move(*result)) : AttemptPicture(strip), nullptr);
        inner.wait();
        return made;
      });
    }
    return std::move(*result);
  };
  const StripNeedsOfSteps needs = needs_of(steps);
  return static_cast<StripedBackend&>(on).by_rows(picture, steps.back().traits.result.format, needs.halo_rows, run_all,
                                                  needs.scratch_bytes);
}

std::span<const Step> Executor::steps_for_strips(Backend& on, std::span<const Step> steps) {
  const auto is_there = [&](const Step& step) { return can_be_cut(step) && is_on(on.kind(), step.traits.only_on); };
  const auto end = std::find_if_not(steps.begin(), steps.end(), is_there);
  const bool may = end - steps.begin() > 1 && dynamic_cast<StripedBackend*>(&on) != nullptr;
  return steps.first(may ? static_cast<std::size_t>(end - steps.begin()) : 0);
}

bool Executor::write_bands(OperationInput& input, const Steps& steps, const StageRows& stage) {
  check_fit(input, steps);
  if (!input.rows || !can_run_on_bands(steps)) {
    return false;
  }
  const auto work = [&](Backend& on, const Placement& placement) {
    return stage(Phase::decode, [&](codecs::RowWriter& to) {
      StripedBackend bands(on, placement.strip_memory, &times(),
                           [&](ConstView rows) { times().measure(Phase::encode, [&] { to.write(rows); }); });
      const bool is_complete = steps.empty() ? copy_bands(*input.rows, to) : run_on_bands(bands, input, steps);
      if (is_complete) {
        times().measure(Phase::encode, [&] { to.finish(); });
      }
      return is_complete;
    });
  };
  if (parts_.backends.guarded([&] { return in_bands(backend(), input, RunNeeds(steps), work); })) {
    return true;
  }
  input.image = parts_.loader.read_whole(std::move(input.rows));
  input.rows.reset();
  return false;
}

void Executor::write_rows(OperationInput input, const Steps& steps, const StageRows& stage) {
  check_fit(input, steps);
  const auto compute = [&](Backend& first, const AttemptInput& given) {
    run(first, given, steps, [&](StepPixels& pixels) {
      Backend& on = *pixels.on;
      const AttemptPicture result = pixels.take();
      const Phase phase = on.memory_is_host() ? Phase::encode : Phase::download;
      return stage(phase, [&](codecs::RowWriter& to) {
        if (result.own() != nullptr) {
          on.download_rows(std::move(*result.own()), [&](ConstView rows) { to.write(rows); });
        } else {
          to.write(on.download(result).view());
        }
        to.finish();
        return true;
      });
    });
  };
  parts_.backends.guarded([&] { computed(backend(), std::move(input), RunNeeds(steps), compute); });
}

}  // namespace gpuimg
