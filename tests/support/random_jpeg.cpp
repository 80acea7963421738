// Makes random choices for libjpeg, and changes random bytes.
#include "support/random_jpeg.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "codecs/jpeg/jpeg_header.hpp"

namespace gpuimg::test {
namespace {

using Color = std::array<int, 3>;

Color any_color(Random& random) { return {random.between(0, 255), random.between(0, 255), random.between(0, 255)}; }

/// A rectangle or an ellipse with one color.
struct Object {
  int left, top, right, bottom;
  bool is_round;
  Color color;

  [[nodiscard]] bool holds(int x, int y) const {
    if (x < left || x >= right || y < top || y >= bottom) {
      return false;
    }
    const double u = (2.0 * x - left - right) / (right - left);
    const double v = (2.0 * y - top - bottom) / (bottom - top);
    return !is_round || u * u + v * v <= 1.0;
  }
};

Object any_object(Random& random, int width, int height) {
  const int left = random.between(0, width - 1);
  const int top = random.between(0, height - 1);
  return {left,
          top,
          random.between(left, width - 1) + 1,
          random.between(top, height - 1) + 1,
          random.below(2) == 0,
          any_color(random)};
}

}  // namespace

JpegChoices any_jpeg(Random& random, int min_quality, int max_restart_interval) {
  const JpegSampling sampling = kJpegSamplings[random.below(std::size(kJpegSamplings))];
  JpegChoices choices;
  choices.horizontal_sampling = sampling.horizontal;
  choices.vertical_sampling = sampling.vertical;
  choices.quality = random.between(min_quality, 100);
  choices.restart_interval = random.below(2) == 0 ? 0 : random.between(1, max_restart_interval);
  return choices;
}

JpegChoices of_several_scans(Random& random, const JpegFactors& factors) {
  JpegChoices choices;
  choices.progressive = random.below(8) != 0;
  choices.separate_scans = !choices.progressive;
  choices.horizontal_sampling = factors[0];
  choices.vertical_sampling = factors[1];
  choices.chroma_horizontal_sampling = factors[2];
  choices.chroma_vertical_sampling = factors[3];
  choices.restart_interval = random.below(2) == 0 ? 0 : random.between(1, 9);
  choices.quality = random.between(1, 100);
  return choices;
}

std::vector<JpegScanChoice> any_scans(Random& random, int components) {
  // For each coefficient, the number of low bits that no scan has yet; −1 if no scan has any bit.
  std::vector<std::array<int, 64>> unknown(static_cast<std::size_t>(components));
  for (std::array<int, 64>& bits : unknown) {
    bits.fill(-1);
  }
  std::vector<JpegScanChoice> scans;
  const auto send = [&](JpegScanChoice scan) {
    const auto first = static_cast<std::size_t>(std::max(scan.component, 0));
    int& known = unknown[first][static_cast<std::size_t>(scan.first)];
    scan.high = std::max(known, 0);
    scan.low = known < 0 ? random.between(0, 2) : known - 1;
    for (int i = 0; i < components; ++i) {
      if (scan.component < 0 || scan.component == i) {
        auto& bits = unknown[static_cast<std::size_t>(i)];
        std::fill(bits.begin() + scan.first, bits.begin() + scan.last + 1, scan.low);
      }
    }
    scans.push_back(scan);
  };
  send({.component = -1});
  const auto is_done = [](const std::array<int, 64>& bits) {
    return std::count(bits.begin(), bits.end(), 0) == static_cast<int>(bits.size());
  };
  while (!std::all_of(unknown.begin(), unknown.end(), is_done)) {
    const int component = random.between(0, components - 1);
    const auto& bits = unknown[static_cast<std::size_t>(component)];
    if (bits[0] > 0 && random.below(3) == 0) {
      send({.component = -1});
    }
    const auto first = std::find_if(bits.begin() + 1, bits.end(), [](int left) { return left != 0; });
    if (first != bits.end()) {
      auto last = first;
      while (last + 1 != bits.end() && *(last + 1) == *first && random.below(30) != 0) {
        ++last;
      }
      send({component, static_cast<int>(first - bits.begin()), static_cast<int>(last - bits.begin())});
    } else if (bits[0] > 0) {
      send({.component = -1});
    }
  }
  return scans;
}

codecs::JpegEncoding any_encoding(Random& random, int channels) {
  codecs::JpegEncoding encoding;
  encoding.components.resize(static_cast<std::size_t>(channels));
  for (codecs::JpegComponent& component : encoding.components) {
    const int most = random.between(1, 255);
    for (std::uint16_t& step : component.steps) {
      step = static_cast<std::uint16_t>(random.between(1, most));
    }
    if (random.below(3) == 0) {
      component.steps = encoding.components.front().steps;
    }
  }
  encoding.components.front().horizontal_sampling = random.between(1, 2);
  encoding.components.front().vertical_sampling = random.between(1, 2);
  return encoding;
}

Image photo_like_image(Random& random, int width, int height, int channels) {
  Image image(width, height, {Sample::u8, channels});
  const Color from = any_color(random);
  const Color to = any_color(random);
  const auto noise = static_cast<std::uint32_t>(random.between(1, 24));
  std::array<Object, 5> objects{};
  std::generate(objects.begin(), objects.end(), [&] { return any_object(random, width, height); });
  for (int y = 0; y < height; ++y) {
    auto* sample = image.view().row<std::uint8_t>(y);
    for (int x = 0; x < width; ++x) {
      const auto object = std::find_if(objects.begin(), objects.end(), [&](const Object& o) { return o.holds(x, y); });
      std::uint64_t bits = random.bits();
      for (std::size_t i = 0; i < static_cast<std::size_t>(channels); ++i, bits >>= 16) {
        const int shade = from[i] + (to[i] - from[i]) * (x + y) / (width + height);
        const int level = object == objects.end() ? shade : (object->color[i] + shade) / 2;
        const int error = static_cast<int>((bits & 0xFFFF) % noise) - static_cast<int>(noise / 2);
        *sample++ = static_cast<std::uint8_t>(std::clamp(level + error, 0, 255));
      }
    }
  }
  return image;
}

FileBytes mutant_of_jpeg(Random& random, const FileBytes& file) {
  FileBytes mutant = file;
  const auto size = static_cast<std::uint32_t>(mutant.size());
  const std::uint32_t scan = size - static_cast<std::uint32_t>(codecs::jpeg::describe_jpeg(file)->scan.size());
  for (int i = random.between(1, 3); i > 0; --i) {
    const std::uint32_t first = random.below(3) == 0 ? 2 : scan;
    std::byte& changed = mutant[first + random.below(size - first)];
    switch (random.below(4)) {
      case 0: changed = std::byte{0xFF}; break;
      case 1: changed = static_cast<std::byte>(0xD0 + random.below(10)); break;
      case 2: changed ^= static_cast<std::byte>(1U << random.below(8)); break;
      default: changed = static_cast<std::byte>(random.below(256)); break;
    }
  }
  if (random.below(8) == 0) {
    mutant.resize(scan + random.below(size - scan));
  }
  return mutant;
}

}  // namespace gpuimg::test
