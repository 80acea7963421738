// The operations that `doctor` tests and `bench` times.
#include "selftest/selftest_operations.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "cli/option_values.hpp"
#include "engine/result_compare.hpp"

namespace gpuimg {
namespace {

Histogram host_result(Backend& /*backend*/, Histogram histogram) { return histogram; }
Image host_result(Backend& backend, Picture picture) { return backend.download(std::move(picture)); }

/// operation(backend, picture) → Histogram or Picture.
template <class Operation>
SelftestOperation selftest_operation(std::string name, Operation operation,
                                     std::function<double(PixelFormat)> bytes_per_pixel) {
  SelftestOperation result;
  result.name = std::move(name);
  result.run = [operation](Backend& backend, const Picture& picture) {
    [[maybe_unused]] const auto dropped = operation(backend, picture);
    backend.wait();
  };
  result.difference = [operation](Backend& a, const Picture& on_a, Backend& b, const Picture& on_b) {
    const auto from_a = host_result(a, operation(a, on_a));
    const auto from_b = host_result(b, operation(b, on_b));
    return first_difference(from_a, a.name(), from_b, b.name());
  };
  result.bytes_per_pixel = std::move(bytes_per_pixel);
  return result;
}

double pixel_bytes(PixelFormat format) { return static_cast<double>(format.bytes_per_pixel()); }

SelftestOperation hist_selftest(const std::string& channel_name, Luma luma = Luma::bt601,
                                int hsl_bins = kDefaultHslBins) {
  HistogramOptions options;
  options.channels = value_named("channel", channel_name, kHistogramChannelNames);
  options.luma = luma;
  options.hsl_bins = hsl_bins;
  const std::string suffix = luma == Luma::bt601 ? "" : fmt::format(" {}", name_of(luma, kLumaNames));
  return selftest_operation(
      "hist " + channel_name + suffix,
      [options](Backend& backend, const Picture& picture) { return backend.histogram(picture, options); }, pixel_bytes);
}

SelftestOperation equalize_selftest(EqualizeColor color, EqualizeFormula formula, double strength = 1.0) {
  EqualizeOptions options;
  options.color = color;
  options.formula = formula;
  options.strength = strength;
  std::string name = "equalize " + name_of(color, kColorNames);
  if (formula != EqualizeFormula::opencv) {
    name += fmt::format(" {}", name_of(formula, kFormulaNames));
  }
  // Read once to count, then read and written to map.
  return selftest_operation(
      std::move(name),
      [options](Backend& backend, const Picture& picture) { return backend.equalize(picture, options); },
      [](PixelFormat format) { return 3.0 * pixel_bytes(format); });
}

SelftestOperation integral_selftest(TableLayout layout, Sample type, bool square) {
  IntegralOptions options;
  options.layout = layout;
  options.type = type;
  options.square = square;
  options.allow_wrap = true;
  std::string name = "integral " + name_of(type, kTableTypeNames);
  name += layout == TableLayout::inclusive ? " inclusive" : "";
  name += square ? " square" : "";
  return selftest_operation(
      std::move(name),
      [options](Backend& backend, const Picture& picture) { return backend.integral(picture, options); },
      [type](PixelFormat format) { return pixel_bytes(format) + static_cast<double>(sample_bytes(type)); });
}

SelftestOperation hsl_selftest(HslEncoding encoding) {
  return selftest_operation(
      "hsl " + name_of(encoding, kEncodingNames),
      [encoding](Backend& backend, const Picture& picture) { return backend.to_hsl(picture, encoding); },
      [encoding](PixelFormat format) {
        return pixel_bytes(format) +
               static_cast<double>(sample_bytes(sample_of(encoding)) * (format.has_alpha() ? 4 : 3));
      });
}

SelftestOperation hsl_inverse_selftest(HslEncoding encoding) {
  return selftest_operation(
      "hsl inverse " + name_of(encoding, kEncodingNames),
      [encoding](Backend& backend, const Picture& picture) {
        const Picture hsl = backend.to_hsl(picture, encoding);
        return backend.from_hsl(hsl, encoding, picture.format().sample);
      },
      pixel_bytes);
}

SelftestOperation hsl_adjust_selftest() {
  return selftest_operation(
      "hsl adjust",
      [](Backend& backend, const Picture& picture) {
        return backend.adjust_hsl(picture, {40.0F, 1.25F, 0.9F});
      },
      [](PixelFormat format) { return 2.0 * pixel_bytes(format); });
}

}  // namespace

std::vector<SelftestOperation> timed_operations() {
  std::vector<SelftestOperation> operations;
  operations.push_back(hist_selftest("luma"));
  operations.push_back(hist_selftest("rgb"));
  for (const EqualizeColor color :
       {EqualizeColor::luma, EqualizeColor::rgb, EqualizeColor::joint, EqualizeColor::ycbcr, EqualizeColor::hsl}) {
    operations.push_back(equalize_selftest(color, EqualizeFormula::opencv));
  }
  operations.push_back(integral_selftest(TableLayout::padded, Sample::u32, false));
  operations.push_back(integral_selftest(TableLayout::padded, Sample::f64, true));
  operations.push_back(hsl_selftest(HslEncoding::f32));
  operations.push_back(hsl_selftest(HslEncoding::u16));
  operations.push_back(hsl_adjust_selftest());
  return operations;
}

std::vector<SelftestOperation> tested_operations(PixelFormat format) {
  std::vector<SelftestOperation> operations;
  for (const std::string& name : names_of(kHistogramChannelNames)) {
    if (name != "a" || format.has_alpha()) {
      operations.push_back(hist_selftest(name));
    }
  }
  for (const auto& luma : kLumaNames) {
    operations.push_back(hist_selftest("luma", luma.value));
  }
  operations.push_back(hist_selftest("h", Luma::bt601, 65536));
  for (const auto& color : kColorNames) {
    for (const auto& formula : kFormulaNames) {
      operations.push_back(equalize_selftest(color.value, formula.value));
      operations.push_back(equalize_selftest(color.value, formula.value, 0.3));
    }
  }
  for (const auto& type : kTableTypeNames) {
    for (const bool square : {false, true}) {
      operations.push_back(integral_selftest(TableLayout::padded, type.value, square));
      operations.push_back(integral_selftest(TableLayout::inclusive, type.value, square));
    }
  }
  for (const auto& encoding : kEncodingNames) {
    operations.push_back(hsl_selftest(encoding.value));
    operations.push_back(hsl_inverse_selftest(encoding.value));
  }
  operations.push_back(hsl_adjust_selftest());
  return operations;
}

}  // namespace gpuimg
