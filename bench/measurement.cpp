// Paints, checks and times one operation after another, so that each can use all device memory.
#include "bench/measurement.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "bench/exact_checks.hpp"
#include "bench/sample_pixels.hpp"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "gpuimg/cuda.hpp"
#include "ops/equalize.hpp"

namespace gpuimg::bench {
namespace {

constexpr std::uint32_t kSeed = 20261120;

std::size_t uncached_bytes(const cuda::Device& device) {
  constexpr std::size_t kTimesTheCache = 6;
  int cache = 0;
  cuda::cuda_check(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device.index()), "reading the device");
  return kTimesTheCache * static_cast<std::size_t>(cache);
}

std::vector<Rival> rivals_of(const std::shared_ptr<cuda::Device>& device, Operation operation, RivalSize size) {
  std::vector<Rival> all = cub_rivals(device, operation, size);
  for (auto& more : {npp_rivals(device, operation, size), textbook_rivals(device, operation, size)}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

void run_once(const cuda::Device& device, const Rival& rival, const Picture& picture) {
  if (rival.prepare) {
    rival.prepare(picture);
  }
  rival.run(picture);
  device.wait();
}

std::vector<std::uint64_t> joined(const Histogram& histogram) {
  std::vector<std::uint64_t> counts;
  for (const ChannelHistogram& channel : histogram.channels) {
    counts.insert(counts.end(), channel.counts.begin(), channel.counts.end());
  }
  return counts;
}

std::string fault_of(const Rival& rival, const Image& image, Operation operation, Backend& cpu) {
  if (rival.counts) {
    const Histogram expected = cpu.histogram(cpu.upload(image.view()), histogram_options(operation));
    if (rival.counts() != joined(expected)) {
      return "counts differ from the CPU's";
    }
  }
  return rival.check ? rival.check(image, cpu) : "";
}

}  // namespace

Measurement::Measurement(std::shared_ptr<cuda::Device> device, std::vector<OperationFacts> operations, int repeats)
    : device_(std::move(device)),
      operations_(std::move(operations)),
      repeats_(repeats),
      uncached_bytes_(uncached_bytes(*device_)),
      timer_(device_),
      ceilings_(device_),
      ours_(device_) {}

std::vector<std::string> Measurement::check_against_cpu(RivalSize size) {
  std::vector<std::string> faults;
  const auto cpu = make_cpu_backend(0);
  const auto cuda_backend = make_cuda_backend(device_->index());
  for (const OperationFacts& facts : operations_) {
    const RivalSize checked{std::max(size.width, least_side(facts.operation)), size.height};
    const std::vector<Rival> rivals = rivals_of(device_, facts.operation, checked);
    for (const Distribution distribution : kDistributions) {
      const Picture picture = sample_picture(device_, checked.width, checked.height, facts.format, distribution, kSeed);
      const Image image = download(*device_, picture);
      const auto note = [&](std::string_view who, const std::string& fault) {
        if (!fault.empty()) {
          faults.push_back(std::string(who) + ", " + std::string(facts.name) + ", " +
                           std::string(name_of(distribution)) + ": " + fault);
        }
      };
      note("gpuimg", difference(*cuda_backend, *cpu, facts.operation, image));
      for (const Rival& rival : rivals) {
        run_once(*device_, rival, picture);
        note(rival.name, fault_of(rival, image, facts.operation, *cpu));
      }
    }
  }
  return faults;
}

std::vector<Picture> Measurement::rotated(Picture first) const {
  std::vector<Picture> pictures;
  const std::size_t bytes = cuda::size_bytes(first);
  pictures.push_back(std::move(first));
  while (pictures.size() * bytes < uncached_bytes_) {
    pictures.push_back(copy_of(device_, pictures.front()));
  }
  return pictures;
}

std::vector<std::uint64_t> Measurement::checked_counts(const Picture& picture, Result& result) {
  const Histogram histogram = ours_.counts(picture, histogram_options(result.operation));
  for (const ChannelHistogram& channel : histogram.channels) {
    if (std::accumulate(channel.counts.begin(), channel.counts.end(), std::uint64_t{0}) != picture.pixel_count()) {
      result.fault = "the counts do not add up to the number of pixels";
    }
  }
  return joined(histogram);
}

void Measurement::check_picture(const Picture& picture, Result& result) {
  std::vector<std::uint16_t> map;
  if (is_equalization(result.operation)) {
    map = level_map(EqualizeFormula::opencv, ours_.counts(picture, {}).channels[0].counts);
  }
  const std::optional<Picture> out = ours_.queue(result.operation, picture);
  if (is_local(result.operation)) {  // the CPU backend is the reference
    const auto cpu = make_cpu_backend(0);
    const Image found = download(*device_, *out);
    const Image expected =
        cpu->download(cpu->apply(cpu->upload(download(*device_, picture)), picture_operation(result.operation)));
    if (std::memcmp(found.view().data, expected.view().data, expected.size_bytes()) != 0) {
      result.fault = "the bytes differ from the CPU's";
    }
    return;
  }
  if (const std::uint64_t wrong = wrong_pixels(device_, result.operation, picture, *out, map); wrong != 0) {
    result.fault = std::to_string(wrong) + " pixels are wrong";
  }
}

RivalResult Measurement::timed(const Rival& rival, const std::vector<Picture>& pictures,
                               const std::vector<std::uint64_t>& counts) {
  RivalResult result{rival.library, rival.name, {}, ""};
  run_once(*device_, rival, pictures.front());
  if (rival.counts && !counts.empty() && rival.counts() != counts) {
    result.fault = "counts differ from gpuimg's";
  }
  const Work work = [&](int call) {
    rival.run(pictures[static_cast<std::size_t>(call) % pictures.size()]);
    return std::optional<Picture>();
  };
  result.times = timer_.measure(work, {.repeats = repeats_});
  return result;
}

void Measurement::time_ours(const std::vector<Picture>& pictures, Result& result) {
  const auto count = static_cast<int>(pictures.size());
  const Work rotating = [&](int call) {
    return ours_.queue(result.operation, pictures[static_cast<std::size_t>(call) % pictures.size()]);
  };
  const int kept = is_histogram(result.operation) ? 1 : count;
  result.cold = timer_.measure(rotating, {.repeats = repeats_, .results_kept = kept});
  if (result.size.pixels() < kSmallPixels) {
    result.bare = timer_.measure(rotating, {.repeats = repeats_, .results_kept = kept, .queued = false});
    result.hot =
        timer_.measure([&](int) { return ours_.queue(result.operation, pictures.front()); }, {.repeats = repeats_});
  }
}

Result Measurement::measured(RivalSize size, const OperationFacts& facts, Distribution distribution) {
  Result result;
  result.size = size;
  result.operation = facts.operation;
  result.distribution = distribution;
  const std::vector<Picture> pictures =
      rotated(sample_picture(device_, size.width, size.height, facts.format, distribution, kSeed));
  std::vector<std::uint64_t> counts;
  if (is_histogram(facts.operation)) {
    counts = checked_counts(pictures.front(), result);
  } else {
    check_picture(pictures.front(), result);
  }
  time_ours(pictures, result);
  for (const Rival& rival : rivals_of(device_, facts.operation, size)) {
    result.rivals.push_back(timed(rival, pictures, counts));
  }
  return result;
}

std::vector<Result> Measurement::at(RivalSize size) {
  std::vector<Result> results;
  const bool is_small = size.pixels() < kSmallPixels;
  std::vector<double> ceiling_ms(operations_.size(), 0.0);
  if (!is_small) {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      ceiling_ms[i] = ceilings_.of(operations_[i].stream, size.pixels()).times.median_ms;
    }
    ceilings_.release();
  }
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    if (std::max(size.width, size.height) < least_side(operations_[i].operation)) {
      continue;
    }
    for (const Distribution distribution : kDistributions) {
      results.push_back(measured(size, operations_[i], distribution));
      results.back().ceiling_ms = ceiling_ms[i];
    }
  }
  return results;
}

std::pair<Times, Times> Measurement::empty_launch() {
  const Work work = [&](int) {
    queue_empty_kernel(*device_);
    return std::optional<Picture>();
  };
  return {timer_.measure(work, {.repeats = repeats_}), timer_.measure(work, {.repeats = repeats_, .queued = false})};
}

}  // namespace gpuimg::bench
