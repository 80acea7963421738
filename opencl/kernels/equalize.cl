// Maps pixels through the look-up tables of the image, or through tables interpolated between tiles (CLAHE). Specified
// in docs/operations.md, "Color" and "CLAHE". Restates core/ops/equalize.hpp, and the interpolation of
// core/ops/clahe.hpp.
//
// Macros: BY_TILES, if the program is for CLAHE; otherwise TABLE_COPIES, the number of copies of the tables in local
// memory, a power of two; copies are in different banks. Some drivers add up the local memory of all kernels of a
// program, so a program has only one of the two kernels.
//
// Choices: MAP; LEVEL, for maps with one table; TABLES, 3 if each channel has its own table; IS_MASKED; IS_BLENDED.

#ifndef SPECIALIZED
#define MAP choices.s0
#define LEVEL choices.s1
#define TABLES choices.s2
#define IS_MASKED choices.s3
#define IS_BLENDED choices.s4
#define WORD_COUNT (256 * TABLE_COPIES)
#define LUMA_COUNT (256 * TABLE_COPIES)
#else
#define WORD_COUNT (MAP == MAP_LUMA ? 1 : 256 * TABLE_COPIES)
#define LUMA_COUNT (MAP == MAP_LUMA ? 256 * TABLE_COPIES : 1)
#endif
#define MAP_EACH 0
#define MAP_LUMA 1
#define MAP_YCBCR 2
#define MAP_HSL 3
#define SAMPLE_WORDS WORDS_OF(GROUP * CHANNELS, SAMPLE_BITS)

#if SAMPLE_BITS == 8
// Needs one multiply-add per channel. Both cases are (c − o)·q + b, rounded half away from zero. In gamut: o = 0, q =
// y_new/y, b = 0. Outside: o = y, q = (255 − y_new)/(max − y), b = y_new. q is increased by a factor of 1 + 2⁻²⁰. That
// moves ties away from zero, and is too small to move another value to a tie (the nearest is 1/510 away).
#define BIAS_BITS 0x4B000000u  // the bits of the float 2²³; the low byte is free for a sample
#define BIAS 8388608.0f
#define TO_INTEGER 12582912.0f  // 1.5·2²³: adding it leaves the rounded integer in the low bits
#define TIE_BREAK (1.0f + 1.0f / 1048576.0f)

// Table entry of a luma for MAP_LUMA: (y_new/y, TO_INTEGER + y_new).
static float2 luma_entry(uint y, uint y_new) {
  return (float2)(y == 0u ? 0.0f : divided((float)y_new, (float)y) * TIE_BREAK, TO_INTEGER + (float)y_new);
}

// `entry` is luma_entry(luma, y_new).
static uint3 with_luma(uint4 p, uint luma, float2 entry) {
  const float gamut_end = 255.0f + 1.0f / 512.0f;  // max·y_new/y is either at most 255 or at least 255 + 1/255
  const float r = as_float(BIAS_BITS | p.x);
  const float g = as_float(BIAS_BITS | p.y);
  const float b = as_float(BIAS_BITS | p.z);
  const float y = as_float(BIAS_BITS | luma);
  const float high = fmax(r, fmax(g, b));
  const bool outside = (high - BIAS) * entry.x > gamut_end;
  const float room = TO_INTEGER + 255.0f - entry.y;
  const float q = outside ? room * (1.0f / (high - y) * TIE_BREAK) : entry.x;
  const float origin = outside ? y : BIAS;
  const float base = outside || luma == 0u ? entry.y : TO_INTEGER;
  return (uint3)(as_uint(fma(r - origin, q, base)) & 0xFFu, as_uint(fma(g - origin, q, base)) & 0xFFu,
                 as_uint(fma(b - origin, q, base)) & 0xFFu);
}

static uint3 with_luma_level(uint4 p, uint luma, uint y_new) { return with_luma(p, luma, luma_entry(luma, y_new)); }
#else
// One channel of a pixel that would leave the gamut: y_new plus the channel's distance from y, scaled to fit.
static uint moved(uint c, uint y, uint y_new, uint reach, float reciprocal) {
  const uint distance = c > y ? c - y : y - c;
  const uint by = quotient(distance * (V_MAX - y_new) + reach / 2u, reach, reciprocal);
  return c > y ? y_new + by : y_new - by;
}

static uint3 with_luma_level(uint4 p, uint y, uint y_new) {
  if (y == 0u) {
    return (uint3)(y_new, y_new, y_new);
  }
  const uint high = max(p.x, max(p.y, p.z));
  if (high * y_new <= V_MAX * y) {
    const float reciprocal = 1.0f / (float)y;
    const uint half_y = y / 2u;
    return (uint3)(quotient(p.x * y_new + half_y, y, reciprocal), quotient(p.y * y_new + half_y, y, reciprocal),
                   quotient(p.z * y_new + half_y, y, reciprocal));
  }
  const uint reach = high - y;
  const float reciprocal = 1.0f / (float)reach;
  return (uint3)(moved(p.x, y, y_new, reach, reciprocal), moved(p.y, y, y_new, reach, reciprocal),
                 moved(p.z, y, y_new, reach, reciprocal));
}
#endif

// OpenCV's fixed-point YCrCb: 14 fractional bits. >> of a negative int is arithmetic in OpenCL C.
static uint3 with_ycbcr_level(uint4 p, uint luma, uint y_new) {
  const int limit = (int)V_MAX;
  const int half_range = (limit + 1) / 2;
  const int red_offset = ((int)p.x - (int)luma) * 11682;
  const int blue_offset = ((int)p.z - (int)luma) * 9241;
  const int cr = clamp((red_offset + (half_range << 14) + 8192) >> 14, 0, limit) - half_range;
  const int cb = clamp((blue_offset + (half_range << 14) + 8192) >> 14, 0, limit) - half_range;
  const int y = (int)y_new;
  return (uint3)((uint)clamp(y + ((cr * 22987 + 8192) >> 14), 0, limit),
                 (uint)clamp(y + ((cr * -11698 + cb * -5636 + 8192) >> 14), 0, limit),
                 (uint)clamp(y + ((cb * 29049 + 8192) >> 14), 0, limit));
}

static uint3 with_hsl_level(uint4 p, uint level_new) {
  float3 hsl = hsl_float(hsl_fractions(p));
  hsl.z = divided((float)level_new, (float)V_MAX);
  return rgb_from_hsl(hsl, V_MAX);
}

// blended(in, to) without 64-bit floats. For each difference to − in, `steps` from the host holds the amount to add to
// `in`, and the lowest `in` to which one more is added.
static uint3 blend(uint3 in, uint3 to, __global const int2* steps) {
  const int2 red_step = steps[(int)to.x - (int)in.x + (int)V_MAX];
  const int2 green_step = steps[(int)to.y - (int)in.y + (int)V_MAX];
  const int2 blue_step = steps[(int)to.z - (int)in.z + (int)V_MAX];
  return (uint3)((uint)((int)in.x + red_step.x + ((int)in.x >= red_step.y ? 1 : 0)),
                 (uint)((int)in.y + green_step.x + ((int)in.y >= green_step.y ? 1 : 0)),
                 (uint)((int)in.z + blue_step.x + ((int)in.z >= blue_step.y ? 1 : 0)));
}

static void put_pixel(uint* words, int p, uint3 color, uint alpha_level) {
  pack(words, p * CHANNELS, SAMPLE_BITS, color.x);
#if CHANNELS >= 3
  pack(words, p * CHANNELS + 1, SAMPLE_BITS, color.y);
  pack(words, p * CHANNELS + 2, SAMPLE_BITS, color.z);
#endif
#if CHANNELS == 2 || CHANNELS == 4
  pack(words, p * CHANNELS + CHANNELS - 1, SAMPLE_BITS, alpha_level);
#endif
}

#ifndef BY_TILES
// At 8 bits, local memory holds one word per level with the entries of all tables, or for MAP_LUMA the result of
// luma_entry. At 16 bits, the tables are read from global memory.
typedef struct {
  __global const ushort* maps;
  __local const uint* words;
  __local const float2* lumas;
} Tables;

static uint looked_up(Tables tables, uint level) {
#if SAMPLE_BITS == 8
  return tables.words[level * TABLE_COPIES] & 0xFFu;
#else
  return tables.maps[level];
#endif
}

static uint3 map_each(int8 choices, uint4 p, Tables tables) {
#if SAMPLE_BITS == 8
  return (uint3)(tables.words[p.x * TABLE_COPIES] & 0xFFu, (tables.words[p.y * TABLE_COPIES] >> 8) & 0xFFu,
                 tables.words[p.z * TABLE_COPIES] >> 16);
#else
  const uint next = TABLES == 3 ? V_MAX + 1u : 0u;
  return (uint3)(tables.maps[p.x], tables.maps[next + p.y], tables.maps[2u * next + p.z]);
#endif
}

static uint3 map_luma(int8 choices, uint4 p, Tables tables) {
  const uint luma = level_of(LEVEL, p, 0u);
#if SAMPLE_BITS == 8
  return with_luma(p, luma, tables.lumas[luma * TABLE_COPIES]);
#else
  return with_luma_level(p, luma, tables.maps[luma]);
#endif
}

static uint3 map_ycbcr(int8 choices, uint4 p, Tables tables) {
  const uint luma = level_of(LEVEL, p, 0u);
  return with_ycbcr_level(p, luma, looked_up(tables, luma));
}

static uint3 map_hsl(int8 choices, uint4 p, Tables tables) {
  return with_hsl_level(p, looked_up(tables, level_of(LEVEL, p, 0u)));
}

static uint3 mapped(int8 choices, uint4 p, Tables tables) {
#if CHANNELS >= 3
  switch (MAP) {
    case MAP_LUMA: return map_luma(choices, p, tables);
    case MAP_YCBCR: return map_ycbcr(choices, p, tables);
    case MAP_HSL: return map_hsl(choices, p, tables);
    default: return map_each(choices, p, tables);
  }
#else
  return map_each(choices, p, tables);
#endif
}

// Work-item → groups of GROUP pixels, one grid stride apart. *changes is 0 if the tables map every level to itself.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void equalize(
    int8 choices, __global const uint* pixels, __global uint* result, ulong count, __global const ushort* maps,
    __global const uint* changes, __global const uchar* mask, __global const int2* steps) {
  __local uint staging[STAGING_WORDS(SAMPLE_WORDS)] __attribute__((aligned(16)));
  Tables tables;
  tables.maps = maps;
#if SAMPLE_BITS == 8
  __local uint words_of_levels[WORD_COUNT];
  __local float2 lumas_of_levels[LUMA_COUNT];
  for (uint i = get_local_id(0); i < 256u * TABLE_COPIES; i += GROUP_ITEMS) {
    const uint level = i / TABLE_COPIES;
    const uint next = TABLES == 3 ? 256u : 0u;
    if (MAP == MAP_LUMA) {
      lumas_of_levels[i] = luma_entry(level, maps[level]);
    } else {
      words_of_levels[i] = maps[level] | (uint)maps[next + level] << 8 | (uint)maps[2u * next + level] << 16;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the tables are complete
  tables.words = words_of_levels + get_local_id(0) % TABLE_COPIES;
  tables.lumas = lumas_of_levels + get_local_id(0) % TABLE_COPIES;
#endif
  const bool is_identity = *changes == 0u;
  const ulong groups = (count + GROUP - 1) / GROUP;
  for (ulong first = get_group_id(0) * GROUP_ITEMS; first < groups; first += get_global_size(0)) {
    const ulong group = first + get_local_id(0);
    uint words[SAMPLE_WORDS];
    load_words(words, pixels + min(group, groups - 1) * SAMPLE_WORDS, SAMPLE_WORDS);
    if (!is_identity) {
      uint changed[SAMPLE_WORDS];
#pragma unroll
      for (int i = 0; i < SAMPLE_WORDS; ++i) {
        changed[i] = 0u;
      }
#pragma unroll
      for (int p = 0; p < GROUP; ++p) {
        const uint4 from = pixel_of(words, p);
        uint3 to = from.xyz;
        if (IS_MASKED == 0 || mask[min(group, groups - 1) * GROUP + p] != 0) {
          to = mapped(choices, from, tables);
          to = IS_BLENDED != 0 ? blend(from.xyz, to, steps) : to;
        }
        put_pixel(changed, p, to, from.w);
      }
#pragma unroll
      for (int i = 0; i < SAMPLE_WORDS; ++i) {
        words[i] = changed[i];
      }
    }
    store_group(words, result, group, groups, SAMPLE_WORDS, staging);
  }
}
#else
// The two tiles of a row or column of tiles that a pixel lies between, and the weight of the second one.
typedef struct {
  int first;
  int second;
  float weight;
} TilePlace;

// `inverse` is 1/(size of a tile).
static TilePlace tile_place(int at, float inverse, int tiles) {
  const float position = (float)at * inverse - 0.5f;
  const float floored = floor(position);
  const int tile = (int)floored;
  const TilePlace place = {max(tile, 0), min(tile + 1, tiles - 1), position - floored};
  return place;
}

// Maps a level by the tables of the four tiles around a pixel, and interpolates between the four results. The order of
// these products and sums is fixed. `maps` are the tables of one plane, V + 1 entries for each tile.
static uint level_between(__global const ushort* maps, TilePlace across, TilePlace down, int tiles_x, uint level) {
  __global const ushort* entries = maps + level;
  const ulong above = (ulong)down.first * tiles_x;
  const ulong below = (ulong)down.second * tiles_x;
  const float above_left = (float)entries[(above + across.first) * (V_MAX + 1u)];
  const float above_right = (float)entries[(above + across.second) * (V_MAX + 1u)];
  const float below_left = (float)entries[(below + across.first) * (V_MAX + 1u)];
  const float below_right = (float)entries[(below + across.second) * (V_MAX + 1u)];
  const float left = 1.0f - across.weight;
  const float upper = above_left * left + above_right * across.weight;
  const float lower = below_left * left + below_right * across.weight;
  return (uint)rint(upper * (1.0f - down.weight) + lower * down.weight);
}

static uint3 mapped_between(int8 choices, uint4 p, __global const ushort* maps, TilePlace across, TilePlace down,
                     int2 tiles) {
  const ulong plane = (ulong)tiles.x * tiles.y * (V_MAX + 1u);
#if CHANNELS >= 3
  if (MAP == MAP_EACH) {
    return (uint3)(level_between(maps, across, down, tiles.x, p.x),
                   level_between(maps + plane, across, down, tiles.x, p.y),
                   level_between(maps + 2 * plane, across, down, tiles.x, p.z));
  }
  const uint level = level_of(LEVEL, p, 0u);
  const uint level_new = level_between(maps, across, down, tiles.x, level);
  return MAP == MAP_LUMA    ? with_luma_level(p, level, level_new)
         : MAP == MAP_YCBCR ? with_ycbcr_level(p, level, level_new)
                            : with_hsl_level(p, level_new);
#else
  return (uint3)(level_between(maps, across, down, tiles.x, p.x), 0u, 0u);
#endif
}

// Work-item → groups of GROUP pixels, one grid stride apart. The picture begins at row `first_row` of the image that
// has tiles.x × tiles.y tiles; `inverse` is 1/(size of a tile) along both sides.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void equalize_by_tiles(
    int8 choices, __global const uint* pixels, __global uint* result, ulong count, __global const ushort* maps,
    __global const uchar* mask, __global const int2* steps, uint width, int first_row, int2 tiles, float2 inverse) {
  __local uint staging[STAGING_WORDS(SAMPLE_WORDS)] __attribute__((aligned(16)));
  const ulong groups = (count + GROUP - 1) / GROUP;
  for (ulong first = get_group_id(0) * GROUP_ITEMS; first < groups; first += get_global_size(0)) {
    const ulong group = first + get_local_id(0);
    const ulong start = min(group, groups - 1) * GROUP;
    int y = (int)(start / width);
    int x = (int)(start - (ulong)y * width);
    TilePlace down = tile_place(first_row + y, inverse.y, tiles.y);
    uint words[SAMPLE_WORDS];
    load_words(words, pixels + start / GROUP * SAMPLE_WORDS, SAMPLE_WORDS);
    uint changed[SAMPLE_WORDS];
#pragma unroll
    for (int i = 0; i < SAMPLE_WORDS; ++i) {
      changed[i] = 0u;
    }
#pragma unroll
    for (int p = 0; p < GROUP; ++p) {
      const uint4 from = pixel_of(words, p);
      uint3 to = from.xyz;
      const bool is_selected = IS_MASKED == 0 || mask[start + p] != 0;
      if (start + p < count && is_selected) {
        to = mapped_between(choices, from, maps, tile_place(x, inverse.x, tiles.x), down, tiles);
        to = IS_BLENDED != 0 ? blend(from.xyz, to, steps) : to;
      }
      put_pixel(changed, p, to, from.w);
      if (++x == (int)width) {
        x = 0;
        down = tile_place(first_row + ++y, inverse.y, tiles.y);
      }
    }
    store_group(changed, result, group, groups, SAMPLE_WORDS, staging);
  }
}
#endif
