// Maps pixels through look-up tables. Specified in docs/operations.md, "Equalization of color". Restates
// include/gpuimg/ops/equalize.hpp.
//
// Macros: MAP, one of map_each, map_luma, map_ycbcr and map_hsl; LEVEL for those with one table; TABLES = 3 if each
// channel has its own; MASKED; BLENDED.

#ifndef TABLES
#define TABLES 1
#endif
#define SAMPLE_WORDS WORDS_OF(GROUP * CHANNELS, SAMPLE_BITS)

// At 8 bits the tables are in local memory, and so are reciprocals of all divisors.
#if SAMPLE_BITS == 8
#define TABLE_MEMORY __local const ushort*
#define RECIPROCAL(tables, d) ((tables).reciprocals[d])
#else
#define TABLE_MEMORY __global const ushort*
#define RECIPROCAL(tables, d) (1.0f / (float)(d))
#endif

typedef struct {
  TABLE_MEMORY maps;
  __local const float* reciprocals;
} Tables;

uint3 map_each(uint4 p, Tables tables) {
#if TABLES == 3
  return (uint3)(tables.maps[p.x], tables.maps[V_MAX + 1u + p.y], tables.maps[2u * (V_MAX + 1u) + p.z]);
#else
  return (uint3)(tables.maps[p.x], tables.maps[p.y], tables.maps[p.z]);
#endif
}

#ifdef LEVEL
// One channel of a pixel whose new luma would leave the gamut: c moves away from y_new by its distance from y.
uint moved(uint c, uint y, uint y_new, uint reach, float reciprocal) {
  const uint distance = c > y ? c - y : y - c;
  const uint by = quotient(distance * (V_MAX - y_new) + reach / 2u, reach, reciprocal);
  return c > y ? y_new + by : y_new - by;
}

uint3 map_luma(uint4 p, Tables tables) {
  const uint y = LEVEL(p, 0u);
  const uint y_new = tables.maps[y];
  if (y == 0u) {
    return (uint3)(y_new, y_new, y_new);
  }
  const uint high = max(p.x, max(p.y, p.z));
  if (high * y_new <= V_MAX * y) {
    const float reciprocal = RECIPROCAL(tables, y);
    const uint half_y = y / 2u;
    return (uint3)(quotient(p.x * y_new + half_y, y, reciprocal), quotient(p.y * y_new + half_y, y, reciprocal),
                   quotient(p.z * y_new + half_y, y, reciprocal));
  }
  const uint reach = high - y;
  const float reciprocal = RECIPROCAL(tables, reach);
  return (uint3)(moved(p.x, y, y_new, reach, reciprocal), moved(p.y, y, y_new, reach, reciprocal),
                 moved(p.z, y, y_new, reach, reciprocal));
}

// OpenCV's fixed-point YCrCb: 14 fractional bits. >> of a negative int is arithmetic in OpenCL C.
uint3 map_ycbcr(uint4 p, Tables tables) {
  const int limit = (int)V_MAX;
  const int half_range = (limit + 1) / 2;
  const uint luma = LEVEL(p, 0u);
  const int red_offset = ((int)p.x - (int)luma) * 11682;
  const int blue_offset = ((int)p.z - (int)luma) * 9241;
  const int cr = clamp((red_offset + (half_range << 14) + 8192) >> 14, 0, limit) - half_range;
  const int cb = clamp((blue_offset + (half_range << 14) + 8192) >> 14, 0, limit) - half_range;
  const int y = (int)tables.maps[luma];
  return (uint3)((uint)clamp(y + ((cr * 22987 + 8192) >> 14), 0, limit),
                 (uint)clamp(y + ((cr * -11698 + cb * -5636 + 8192) >> 14), 0, limit),
                 (uint)clamp(y + ((cb * 29049 + 8192) >> 14), 0, limit));
}

uint3 map_hsl(uint4 p, Tables tables) {
  float3 hsl = hsl_float(hsl_fractions(p));
  hsl.z = divided((float)tables.maps[LEVEL(p, 0u)], (float)V_MAX);
  return rgb_from_hsl(hsl, V_MAX);
}
#endif

// The host tabulates blended(in, to) by to − in, so that no 64-bit float is needed: what is added to `in`, and the first
// `in` from which one more is added.
uint3 blend(uint3 in, uint3 to, __global const int2* steps) {
  const int2 red_step = steps[(int)to.x - (int)in.x + (int)V_MAX];
  const int2 green_step = steps[(int)to.y - (int)in.y + (int)V_MAX];
  const int2 blue_step = steps[(int)to.z - (int)in.z + (int)V_MAX];
  return (uint3)((uint)((int)in.x + red_step.x + ((int)in.x >= red_step.y ? 1 : 0)),
                 (uint)((int)in.y + green_step.x + ((int)in.y >= green_step.y ? 1 : 0)),
                 (uint)((int)in.z + blue_step.x + ((int)in.z >= blue_step.y ? 1 : 0)));
}

void put_pixel(uint* words, int p, uint3 color, uint alpha_level) {
  pack(words, p * CHANNELS, SAMPLE_BITS, color.x);
#if CHANNELS >= 3
  pack(words, p * CHANNELS + 1, SAMPLE_BITS, color.y);
  pack(words, p * CHANNELS + 2, SAMPLE_BITS, color.z);
#endif
#if CHANNELS == 2 || CHANNELS == 4
  pack(words, p * CHANNELS + CHANNELS - 1, SAMPLE_BITS, alpha_level);
#endif
}

// A work-item takes GROUP pixels at a time, and strides over the image with all others. *changes is 0 if the tables map
// every level to itself.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void equalize(
    __global const uint* pixels, __global uint* result, ulong count, __global const ushort* maps,
    __global const uint* changes, __global const uchar* mask, __global const int2* steps) {
  Tables tables;
#if SAMPLE_BITS == 8
  __local ushort local_maps[TABLES * 256];
  __local float local_reciprocals[256];
  for (uint i = get_local_id(0); i < TABLES * 256u; i += GROUP_ITEMS) {
    local_maps[i] = maps[i];
  }
  for (uint i = get_local_id(0); i < 256u; i += GROUP_ITEMS) {
    local_reciprocals[i] = 1.0f / (float)max(i, 1u);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the tables are complete
  tables.maps = local_maps;
  tables.reciprocals = local_reciprocals;
#else
  tables.maps = maps;
  tables.reciprocals = 0;
#endif
  const bool is_identity = *changes == 0u;
  for (ulong at = get_global_id(0) * GROUP; at < count; at += get_global_size(0) * GROUP) {
    uint words[SAMPLE_WORDS];
    load_words(words, pixels + at / GROUP * SAMPLE_WORDS, SAMPLE_WORDS);
    if (!is_identity) {
      uint mapped[SAMPLE_WORDS];
#pragma unroll
      for (int i = 0; i < SAMPLE_WORDS; ++i) {
        mapped[i] = 0u;
      }
#pragma unroll
      for (int p = 0; p < GROUP; ++p) {
        const uint4 from = pixel_of(words, p);
        uint3 to = from.xyz;
#ifdef MASKED
        if (mask[at + p] != 0)
#endif
        {
          to = MAP(from, tables);
#ifdef BLENDED
          to = blend(from.xyz, to, steps);
#endif
        }
        put_pixel(mapped, p, to, from.w);
      }
#pragma unroll
      for (int i = 0; i < SAMPLE_WORDS; ++i) {
        words[i] = mapped[i];
      }
    }
    store_words(words, result + at / GROUP * SAMPLE_WORDS, SAMPLE_WORDS);
  }
}
