// Reads and writes pixels: groups of GROUP pixels in words of 32 bits. The host puts this file before every program.
//
// Macros that the host defines:
//   GROUP_ITEMS                work-items per work-group
//   DIVIDES_EXACTLY            float32 division is correctly rounded
//   SAMPLE_BITS, CHANNELS      format of the input pixels: 8 or 16 bits, 1 to 4 channels
//   GROUP                      pixels that a work-item handles at a time, a multiple of 4
//   STAGED                     groups pass through local memory, so that a work-group stores consecutive words
//   SPECIALIZED                choices are macros, and the program supports one kind of request. Otherwise choices
//                              are the elements of each kernel's first argument, and one program supports all.
//                              CPUs use such programs, because compiling takes longer there than the work.
// Functions other than kernels are static, so that drivers compile only those that a program uses.
// Buffers may be read and written for 64 bytes past their end (kPaddingBytes), so the last group needs no special case.

// Results must equal the CPU backend's, so operations are not contracted to fused multiply-adds:
// docs/decisions/0002-no-contraction.md.
#pragma OPENCL FP_CONTRACT OFF

#if SAMPLE_BITS == 8
#define V_MAX 255u
typedef uchar Sample;
#else
#define V_MAX 65535u
typedef ushort Sample;
#endif

#define WORDS_OF(samples, bits) ((samples) * (bits) / 32)

// Sample i of packed words. After unrolling, i is a constant, so the words stay in registers.
static uint packed(const uint* words, int i, int bits) {
  return bits == 8 ? (words[i / 4] >> (8 * (i % 4))) & 0xFFu
                   : bits == 16 ? (words[i / 2] >> (16 * (i % 2))) & 0xFFFFu : words[i];
}

// Sets sample i of packed words. The sample must be zero before.
static void pack(uint* words, int i, int bits, uint value) {
  if (bits == 8) {
    words[i / 4] |= value << (8 * (i % 4));
  } else if (bits == 16) {
    words[i / 2] |= value << (16 * (i % 2));
  } else {
    words[i] = value;
  }
}

// Loads and stores are as wide as a group of `count` words allows. Their loops have no `#pragma unroll`: with it, clang
// unrolls them before it knows `count`, and the remainder loop keeps the words in memory instead of registers.
static void load_words(uint* words, __global const uint* from, int count) {
  if (count % 4 == 0) {
    for (int i = 0; i < count; i += 4) {
      const uint4 four = *(__global const uint4*)(from + i);
      words[i] = four.x;
      words[i + 1] = four.y;
      words[i + 2] = four.z;
      words[i + 3] = four.w;
    }
  } else if (count % 2 == 0) {
    for (int i = 0; i < count; i += 2) {
      const uint2 two = *(__global const uint2*)(from + i);
      words[i] = two.x;
      words[i + 1] = two.y;
    }
  } else {
    for (int i = 0; i < count; ++i) {
      words[i] = from[i];
    }
  }
}

// Like load_words, but from any byte of a buffer. Reads up to 4 bytes past the words.
static void load_unaligned(uint* words, __global const uint* buffer, ulong byte, int count) {
  __global const uint* from = buffer + byte / 4;
  const uint shift = 8u * (uint)(byte % 4);
  uint low = from[0];
  for (int i = 0; i < count; ++i) {
    const uint high = from[i + 1];
    words[i] = (uint)((((ulong)high << 32) | low) >> shift);
    low = high;
  }
}

static void store_words(const uint* words, __global uint* to, int count) {
  if (count % 4 == 0) {
    for (int i = 0; i < count; i += 4) {
      *(__global uint4*)(to + i) = (uint4)(words[i], words[i + 1], words[i + 2], words[i + 3]);
    }
  } else if (count % 2 == 0) {
    for (int i = 0; i < count; i += 2) {
      *(__global uint2*)(to + i) = (uint2)(words[i], words[i + 1]);
    }
  } else {
    for (int i = 0; i < count; ++i) {
      to[i] = words[i];
    }
  }
}

// Stores the groups of a work-group. `group` is the number of this work-item's group; groups from `groups` on are not
// stored. All work-items must call this.
#ifdef STAGED
#define STAGING_WORDS(count) ((count) * GROUP_ITEMS)
static void store_group(const uint* words, __global uint* result, ulong group, ulong groups, int count,
                        __local uint* staging) {
  const uint item = get_local_id(0);
  for (int i = 0; i < count; i += 4) {
    *(__local uint4*)(staging + item * count + i) = (uint4)(words[i], words[i + 1], words[i + 2], words[i + 3]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all groups are staged
  const ulong first = group - item;
  const uint staged = groups > first ? (uint)min(groups - first, (ulong)GROUP_ITEMS) * count : 0u;
  for (int i = 0; i < count / 4; ++i) {
    const uint word = 4u * (i * GROUP_ITEMS + item);
    if (word < staged) {
      *(__global uint4*)(result + first * count + word) = *(__local const uint4*)(staging + word);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all groups are stored before the next ones are staged
}
#else
#define STAGING_WORDS(count) 4
static void store_group(const uint* words, __global uint* result, ulong group, ulong groups, int count,
                        __local uint* staging) {
  if (group < groups) {
    store_words(words, result + group * count, count);
  }
}
#endif

// Pixel p of a group as (r, g, b, alpha). Gray has r = g = b; alpha is V_MAX for formats without alpha.
static uint4 pixel_of(const uint* words, int p) {
  const int i = p * CHANNELS;
  const uint first = packed(words, i, SAMPLE_BITS);
#if CHANNELS == 1
  return (uint4)(first, first, first, V_MAX);
#elif CHANNELS == 2
  return (uint4)(first, first, first, packed(words, i + 1, SAMPLE_BITS));
#elif CHANNELS == 3
  return (uint4)(first, packed(words, i + 1, SAMPLE_BITS), packed(words, i + 2, SAMPLE_BITS), V_MAX);
#else
  return (uint4)(first, packed(words, i + 1, SAMPLE_BITS), packed(words, i + 2, SAMPLE_BITS),
                 packed(words, i + 3, SAMPLE_BITS));
#endif
}

// Like pixel_of, for one pixel in memory.
static uint4 pixel_at(__global const Sample* samples, ulong pixel) {
  __global const Sample* at = samples + pixel * CHANNELS;
#if CHANNELS == 1
  return (uint4)(at[0], at[0], at[0], V_MAX);
#elif CHANNELS == 2
  return (uint4)(at[0], at[0], at[0], at[1]);
#elif CHANNELS == 3
  return (uint4)(at[0], at[1], at[2], V_MAX);
#else
  return (uint4)(at[0], at[1], at[2], at[3]);
#endif
}
