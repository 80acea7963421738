// Selects the oracle for each option. Uses only names of gpuimg/ops, not its arithmetic.
#pragma once

#include "gpuimg/backend.hpp"
#include "support/oracle_equalize.hpp"
#include "support/oracle_hsl.hpp"
#include "support/oracle_levels.hpp"

namespace gpuimg::oracle {

inline LevelFunction luma_of_kind(Luma kind) {
  switch (kind) {
    case Luma::bt601_trunc: return luma_bt601_trunc;
    case Luma::opencv: return luma_opencv;
    case Luma::bt709: return luma_bt709;
    default: return luma_bt601;
  }
}

/// The level function of a channel: the bin or level of a pixel.
inline LevelFunction level_of_channel(Channel channel, const HistogramOptions& options, PixelFormat format) {
  const std::uint32_t v_max = format.max_value();
  const auto bins = static_cast<std::uint64_t>(options.hsl_bins);
  switch (channel) {
    case Channel::luma: return for_format(luma_of_kind(options.luma), format);
    case Channel::red: return [](const Pixel& p) { return p.r; };
    case Channel::green: return [](const Pixel& p) { return p.g; };
    case Channel::blue: return [](const Pixel& p) { return p.b; };
    case Channel::alpha: return [](const Pixel& p) { return p.a; };
    default: {
      const auto i = static_cast<std::size_t>(channel) - static_cast<std::size_t>(Channel::hue);
      return [=](const Pixel& p) { return hsl_bins(p, v_max, bins)[i]; };
    }
  }
}

inline std::function<Table(const Counts&)> table_of_formula(const TableFormula& formula) {
  switch (formula.kind) {
    case EqualizeFormula::cdf: return table_cdf;
    case EqualizeFormula::pillow: return table_pillow;
    case EqualizeFormula::stretch:
      return [range = formula.range](const Counts& counts) { return table_stretch(counts, range.low, range.high); };
    default: return table_opencv;
  }
}

inline ColorMode mode_of(EqualizeColor color, Luma kind, PixelFormat format) {
  if (format.channels < 3) {
    return gray_mode();
  }
  switch (color) {
    case EqualizeColor::rgb: return rgb_mode();
    case EqualizeColor::joint: return joint_mode(luma_of_kind(kind));
    case EqualizeColor::ycbcr: return ycbcr_mode(format.max_value());
    case EqualizeColor::hsl: return hsl_mode(format.max_value());
    default: return luma_mode(luma_of_kind(kind), format.max_value());
  }
}

/// The expected result of Backend::equalize. The mask is a separate argument because a Selection holds a Picture.
inline Image equalized(ConstView pixels, const EqualizeOptions& options, const Image* mask = nullptr) {
  const ColorMode mode = mode_of(options.color, options.luma, pixels.format);
  const Choice choice{options.selection.region, mask, options.selection.count_transparent};
  const Tables tables = options.tables != nullptr ? options.tables->maps
                                                  : tables_of(pixels, mode, table_of_formula(options.formula), choice);
  return equalized(pixels, mode, tables, mask, options.strength);
}

}  // namespace gpuimg::oracle
