// Reads /proc/meminfo, the limits of control groups and /proc/self/statm. Adds up what decoders, operations and
// encoders hold at the same time; tests/unit/commands/test_image_memory.cpp checks that actual use never exceeds the
// sum. Implements the budgets.
#include "engine/memory.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "backends/backends.hpp"
#include "cli/option_values.hpp"
#include "codecs/image_reader.hpp"
#include "engine/image_job.hpp"
#include "io/control_group.hpp"
#include "io/output_file.hpp"
#include "jpeg/encode.hpp"
#include "jpeg/layout.hpp"
#include "operations/operations.hpp"
#include "png/data_stream.hpp"
#include "png/strips.hpp"
#include "text/number_text.hpp"

namespace gpuimg {
namespace {

constexpr std::uint64_t kKibibyte = 1024;

/// A line "NAME: KIBIBYTES kB" of /proc/meminfo, in bytes.
std::optional<std::uint64_t> memory_fact(std::string_view wanted) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (file >> name >> kibibytes && std::getline(file, unit)) {
    if (name == wanted) {
      return kibibytes * kKibibyte;
    }
  }
  return std::nullopt;
}

std::uint64_t free_in_system() {
  if (const std::optional<std::uint64_t> available = memory_fact("MemAvailable:")) {
    return *available;
  }
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// The result may be up to 20 ms old, because reading the limits takes as long as decoding a small image.
std::optional<GroupMemory> memory_of_group() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kLasts(20);
  static std::mutex mutex;
  static std::optional<Clock::time_point> asked;
  static std::optional<GroupMemory> memory;
  const std::lock_guard lock(mutex);
  if (!asked || Clock::now() - *asked > kLasts) {
    memory = group_memory(memory_fact("SwapFree:").value_or(0));
    asked = Clock::now();
  }
  return memory;
}

/// Resident set size of the process, in bytes.
std::uint64_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  return file >> pages >> resident ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

std::uint64_t left_by_option(std::uint64_t limit) {
  const std::uint64_t held = resident_memory();
  return limit > held ? limit - held : 0;
}

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeast = 2 * kMebibyte;

/// The memory of a decoder and an encoder besides `pixels` bytes of pixels, for copies of parts of these pixels.
std::uint64_t codec_bytes(std::uint64_t pixels) { return kLeast + std::min(6 * kMebibyte, 2 * pixels); }

/// The input's pixels may be in a larger block that a pool kept from an earlier result: PixelPool.
std::uint64_t input_bytes(std::uint64_t pixel, std::uint64_t result) {
  constexpr std::uint64_t kMaxSlack = 4;
  return std::max(pixel, std::min(result, kMaxSlack * pixel));
}

/// True if the file can be read in bands, and a device would not decode it.
bool opens_as_rows(const std::string& path, const codecs::DeclaredImage& declared, const GlobalOptions& options) {
  const bool on_host = !options.backend || backend_entry(*options.backend).memory_is_host;
  if ((!on_host && declared.suits_backends && !declared.is_large_beside_pixels) || options.verify) {
    return false;
  }
  const codecs::ReadOptions read{.max_pixels = options.max_pixels,
                                 .auto_orient = options.auto_orient,
                                 .lenient = options.lenient,
                                 .threads = options.threads};
  return codecs::open_image_rows(path, read, [](const codecs::DeclaredImage&, std::uint64_t) { return true; })
      .has_value();
}

/// What a backend needs, besides the picture, to encode it as JPEG with the least subsampling: 16-bit coefficients,
/// packed codes, and records about each block.
std::size_t jpeg_encoding_bytes(int width, int height, PixelFormat format) {
  constexpr std::size_t kNotesPerBlock = 16;
  constexpr std::size_t kBytesPerBlock = 2 * jpeg::kBlockSize + jpeg::kUsualBlockBytes + kNotesPerBlock;
  const auto blocks_of = [](int side) { return (static_cast<std::size_t>(side) + 15) / 16 * 2; };  // whole MCUs
  return blocks_of(width) * blocks_of(height) * static_cast<std::size_t>(format.color_channels()) * kBytesPerBlock;
}

/// The same for PNG with 16 bits per channel, including the picture.
std::size_t with_png_encoding_bytes(std::size_t pixels, PixelFormat format) {
  const std::size_t result = pixels * sizeof(std::uint16_t) * static_cast<std::size_t>(std::max(format.channels, 3));
  return result + png::encoding_bytes(result);
}

std::uint64_t without_scratch(std::uint64_t available) {
  constexpr std::uint64_t kScratchBytes = std::uint64_t{64} << 20;
  return std::max<std::uint64_t>(available - std::min(available, kScratchBytes), 1);
}

constexpr std::chrono::milliseconds kPatience(100);

}  // namespace

std::uint64_t memory_for_images(const std::optional<std::uint64_t>& limit) {
  const std::optional<GroupMemory> group = memory_of_group();
  const std::uint64_t free = group ? group->free : std::numeric_limits<std::uint64_t>::max();
  return limit ? std::min(left_by_option(*limit), free) : std::min(free_in_system(), free) / 2;
}

std::optional<MostMemory> memory_for_one(const std::optional<std::uint64_t>& limit) {
  const std::optional<GroupMemory> group = memory_of_group();
  const std::optional<std::uint64_t> left = limit ? std::optional(left_by_option(*limit)) : std::nullopt;
  if (group && (!left || group->free_with_swap < *left)) {
    return MostMemory{group->free_with_swap, std::nullopt};
  }
  return left ? std::optional(MostMemory{*left, limit}) : std::nullopt;
}

void return_freed_memory() { ::mallopt(M_MMAP_THRESHOLD, 256 << 10); }

std::string why_too_large(std::uint64_t bytes, const MostMemory& most) {
  const std::string needed = fmt::format("needs about {} MB of memory", grouped((bytes >> 20) + 1));
  const std::string left = grouped(most.bytes >> 20);
  if (!most.option) {
    return fmt::format(
        "{}, but the limit of its control group (container, job or service) leaves {} MB; raise that limit by {} MB or "
        "more",
        needed, left, grouped(((bytes - std::min(bytes, most.bytes)) >> 20) + 1));
  }
  constexpr std::uint64_t kVaries = std::uint64_t{1} << 20;  // the memory of the next process varies by this much
  const std::uint64_t held = (most.bytes > 0 ? *most.option - most.bytes : resident_memory()) + kVaries;
  return fmt::format("{}, but --max-memory leaves {} MB; give --max-memory {} or more", needed, left,
                     byte_size_text(held + bytes));
}

std::uint64_t whole_bytes(const ImageJob& job, const ItemPaths& paths, std::uint64_t file_bytes,
                          const codecs::DeclaredImage& declared, bool keeps_output) {
  if (declared.pixels() == 0) {
    return 4 * file_bytes + kLeast;  // an unreadable file
  }
  const ExtraBytes held = job.extra_bytes(declared, paths.output);
  const SecondImage second = job.second_image(paths, declared);
  const std::uint64_t of_second = (second.pixels + declared.pixels() - 1) / declared.pixels();
  const std::uint64_t input = input_bytes(declared.bytes_per_pixel, std::max(held.result, of_second));
  const std::uint64_t kept = keeps_output ? std::max(held.result, declared.bytes_per_pixel) : 0;
  // The file is freed once it is decoded, but the pool may still hold the memory of a result when the next file is
  // read.
  const std::uint64_t file_held =
      declared.is_read_in_parts ? std::min(file_bytes, declared.decoding_bytes()) : file_bytes;
  const std::uint64_t decoding = file_held + declared.pixels() * declared.decoder_bytes_per_pixel;
  const std::uint64_t writing = declared.pixels() * (held.others + kept) + held.sides + held.tables;
  // Besides a result, the pool may keep a block of the previous image. A block larger than 2 MiB exists only while the
  // codecs use little of the memory that is counted for them.
  const std::uint64_t idle = held.result + second.pixels > 0 ? 2 * kMebibyte : 0;
  return declared.pixels() * (input + held.result) + second.pixels +
         std::max({decoding, writing, second.decoding, second.others}) + idle +
         codec_bytes(std::max(declared.pixels() * declared.bytes_per_pixel, second.pixels));
}

namespace {

constexpr std::uint64_t kOfThread = 2 * kMebibyte;

/// The bytes that bands need if the decoder's parts take `bytes_of_parts`.
std::uint64_t band_bytes_beside(const ImageJob& job, const ItemPaths& paths, const codecs::DeclaredImage& declared,
                                int threads, std::uint64_t bytes_of_parts) {
  constexpr std::uint64_t kRows = 2 * 16;  // one band is filled while another is computed
  const ExtraBytes held = job.extra_bytes(declared, paths.output);
  const std::uint64_t row = declared.width * (declared.bytes_per_pixel + held.result);
  // A band should be a few times as high as its halo. One band gets half of these bytes: DeviceMemory::place_bands.
  const std::uint64_t with_halo = 2 * 4 * held.halo;
  const bool keeps_result = held.result > 0 && is_stream(paths.output);
  return 2 * kLeast + bytes_of_parts + static_cast<std::uint64_t>(std::max(threads, 1)) * (kOfThread + held.of_thread) +
         held.operations * kRows * row + with_halo + held.tables +
         (keeps_result ? declared.pixels() * (held.result + held.others) : 0);
}

}  // namespace

BandDecoding band_decoding(const ImageJob& job, const ItemPaths& paths, const codecs::DeclaredImage& declared,
                           int threads, std::uint64_t share) {
  const std::uint64_t parts = declared.bytes_of_parts(threads);
  const std::uint64_t further = static_cast<std::uint64_t>(std::max(threads, 1) - 1) * kOfThread;
  const bool has_room = parts == 0 || band_bytes_beside(job, paths, declared, threads, parts) <= share;
  return has_room ? BandDecoding{threads, parts + further} : BandDecoding{1, further};
}

std::uint64_t band_bytes(const ImageJob& job, const ItemPaths& paths, const codecs::DeclaredImage& declared,
                         int threads, std::uint64_t share) {
  const BandDecoding decoding = band_decoding(job, paths, declared, threads, share);
  return band_bytes_beside(job, paths, declared, threads, declared.bytes_of_parts(decoding.threads));
}

ImageMemory memory_of(const ImageJob& job, const ItemPaths& paths, std::uint64_t file_bytes,
                      const codecs::DeclaredImage& declared, const GlobalOptions& options, std::uint64_t share) {
  ImageMemory whole{whole_bytes(job, paths, file_bytes, declared)};
  if (options.verify) {  // each backend has its own pixels and result
    const ExtraBytes held = job.extra_bytes(declared, paths.output);
    whole.bytes += declared.pixels() * (declared.bytes_per_pixel + std::max(held.result, declared.bytes_per_pixel));
  }
  if (whole.bytes <= share || declared.pixels() == 0 || std::max(paths.page.number, options.page) > 1 ||
      !job.visits_rows(paths.output)) {
    return whole;
  }
  const ImageMemory bands{band_bytes(job, paths, declared, options.threads, share), true};
  return bands.bytes < whole.bytes && opens_as_rows(paths.input, declared, options) ? bands : whole;
}

std::size_t device_bytes(int width, int height, PixelFormat format, std::size_t mask_bytes) {
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const std::size_t to_compute = pixels * most_device_bytes(format.has_alpha());
  const std::size_t as_jpeg = pixels * format.bytes_per_pixel() + jpeg_encoding_bytes(width, height, format);
  const std::size_t as_png = with_png_encoding_bytes(pixels, format);
  return pixels * format.bytes_per_pixel() + std::max({to_compute, as_jpeg, as_png}) + mask_bytes;
}

namespace {

std::size_t jpeg_decoding_bytes(const EncodedJpeg& jpeg) {
  constexpr std::size_t kTables = std::size_t{1} << 20;
  constexpr std::size_t kBytesPerSegment = 48;
  const jpeg::Layout layout = jpeg::layout_of(jpeg);
  const std::size_t samples = std::size_t{layout.block_count()} * jpeg::kBlockSize;
  const std::size_t marks = layout.segment_count * kBytesPerSegment;
  return kTables + 3 * jpeg.scan.size() + marks + 3 * samples + samples;
}

}  // namespace

std::size_t device_decoding_bytes(const EncodedImage& encoded) {
  if (const EncodedJpeg* jpeg = jpeg_frame_of(encoded)) {
    return device_bytes(jpeg->width, jpeg->height, {Sample::u8, jpeg->component_count}, 0) + jpeg_decoding_bytes(*jpeg);
  }
  const auto& png = std::get<EncodedPng>(encoded);
  return device_bytes(png.width, png.height, png.format, 0) + png::decoding_bytes(png);
}

bool MemoryBudget::acquire(std::uint64_t bytes, const std::function<bool()>& is_abandoned) {
  std::unique_lock lock(mutex_);
  const auto fits = [&] { return in_use_ == 0 || (bytes <= bytes_ && in_use_ <= bytes_ - bytes); };
  while (!released_.wait_for(lock, kPatience, fits)) {
    if (is_abandoned()) {
      return false;
    }
  }
  in_use_ += bytes;
  return true;
}

void MemoryBudget::release(std::uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    in_use_ -= bytes;
    ++releases_;
  }
  released_.notify_all();
}

bool MemoryBudget::wait_for_release(std::uint64_t seen, const std::function<bool()>& is_abandoned) {
  std::unique_lock lock(mutex_);
  while (!released_.wait_for(lock, kPatience, [&] { return releases_ > seen || in_use_ == 0; })) {
    if (is_abandoned()) {
      return false;
    }
  }
  return releases_ > seen;
}

void MemoryBudget::limit_to(std::uint64_t free_bytes) {
  {
    const std::lock_guard lock(mutex_);
    bytes_ = std::min(free_bytes, most_);
  }
  released_.notify_all();
}

std::uint64_t MemoryBudget::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::uint64_t MemoryBudget::releases() const {
  const std::lock_guard lock(mutex_);
  return releases_;
}

MemoryShare::MemoryShare(MemoryBudget& budget, std::uint64_t bytes) : budget_(&budget), bytes_(bytes) {
  (void)budget.acquire(bytes);
}

MemoryShare& MemoryShare::operator=(MemoryShare&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void MemoryShare::shrink_to(std::uint64_t bytes) {
  if (is_held() && bytes < bytes_) {
    budget_->release(std::exchange(bytes_, bytes) - bytes);
  }
}

void MemoryShare::release() {
  if (MemoryBudget* budget = std::exchange(budget_, nullptr)) {
    budget->release(std::exchange(bytes_, 0));
  }
}

MemoryBudget& DeviceBudgets::of(Backend& backend, int device, std::uint64_t total_bytes) {
  const std::lock_guard lock(mutex_);
  auto known = budgets_.find(device);
  if (known == budgets_.end()) {
    const std::uint64_t total = total_bytes != 0 ? total_bytes : without_scratch(backend.available_bytes());
    known = budgets_.try_emplace(device, total).first;
  }
  return known->second;
}

void DeviceBudgets::limit(MemoryBudget& budget, std::uint64_t available) {
  budget.limit_to(without_scratch(available));
}

ByteMemory InputBuffer::lend(Backend& backend, std::size_t bytes) {
  constexpr std::size_t kUnit = std::size_t{4} << 20;
  constexpr std::size_t kMaxBytes = std::size_t{256} << 20;
  if (bytes > kMaxBytes || memory_.use_count() > 1) {
    return nullptr;
  }
  if (memory_ == nullptr || memory_->size_bytes() < bytes) {
    const std::size_t size = (bytes + bytes / 4 + kUnit - 1) / kUnit * kUnit;  // the next file may be larger
    memory_.reset();
    memory_ = std::make_shared<Image>(backend.new_image(static_cast<int>(size), 1, {Sample::u8, 1}));
  }
  return {memory_->view().data, ByteDeleter(memory_)};
}

}  // namespace gpuimg
