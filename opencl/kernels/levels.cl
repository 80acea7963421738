// The level of a pixel that is counted, summed or mapped. Restates core/ops/luma.hpp, hist.hpp and
// equalize.hpp.

uint luma_bt601(uint4 p) { return (19595u * p.x + 38470u * p.y + 7471u * p.z + 32768u) >> 16; }
uint luma_opencv(uint4 p) { return (9798u * p.x + 19235u * p.y + 3735u * p.z + 16384u) >> 15; }
uint luma_bt709(uint4 p) { return (13933u * p.x + 46871u * p.y + 4732u * p.z + 32768u) >> 16; }
uint luma_bt601_trunc(uint4 p) {
  const float red = 0.299f * (float)p.x;
  const float green = 0.587f * (float)p.y;
  const float blue = 0.114f * (float)p.z;
  return (uint)((red + green) + blue);
}
uint luma_ycbcr(uint4 p) { return (4899u * p.x + 9617u * p.y + 1868u * p.z + 8192u) >> 14; }
uint hsl_level(uint4 p) { return (max(p.x, max(p.y, p.z)) + min(p.x, min(p.y, p.z)) + 1u) / 2u; }

uint hue_bin(uint4 p, uint bins) {
  const HslFractions f = hsl_fractions(p);
  return f.chroma == 0u ? 0u : (uint)((ulong)bins * f.hue_numerator / (ulong)(6u * f.chroma));
}
uint saturation_bin(uint4 p, uint bins) {
  const HslFractions f = hsl_fractions(p);
  return min((uint)((ulong)bins * f.chroma / f.saturation_denominator), bins - 1u);
}
uint lightness_bin(uint4 p, uint bins) {
  return min((uint)((ulong)bins * hsl_fractions(p).sum / (2u * V_MAX)), bins - 1u);
}

// Levels by number, in the order of Level in count_levels.hpp. `bins` matters to the last three.
uint level_of(int level, uint4 p, uint bins) {
  switch (level) {
    case 0: return p.x;
    case 1: return p.y;
    case 2: return p.z;
    case 3: return p.w;
    case 4: return luma_bt601(p);
    case 5: return luma_bt601_trunc(p);
    case 6: return luma_opencv(p);
    case 7: return luma_bt709(p);
    case 8: return luma_ycbcr(p);
    case 9: return hsl_level(p);
    case 10: return hue_bin(p, bins);
    case 11: return saturation_bin(p, bins);
    default: return lightness_bin(p, bins);
  }
}
