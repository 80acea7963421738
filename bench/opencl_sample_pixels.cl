// Paints sample pictures of 8-bit RGBA pixels from value noise. Same algorithm as sample_pixels.cu; floats may be
// rounded differently. Distributions are numbered like Distribution in operation.hpp.

#define NOISE 0u
#define CONSTANT 1u
#define PHOTO 2u
#define SEED 20261120u

uint mixed(uint x) {
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

// Uniform in [0,1), with 24 bits.
float uniform_at(uint x, uint y, uint seed) {
  return (float)(mixed(mixed(x + 0x9E3779B9u * seed) ^ (y * 0x85EBCA6Bu + seed)) >> 8) * 0x1p-24f;
}

// Interpolates smoothly between random values at integer x and y.
float smooth_noise(float x, float y, uint seed) {
  const uint left = (uint)x;
  const uint top = (uint)y;
  const float u = x - floor(x);
  const float v = y - floor(y);
  const float wide = u * u * (3.0f - 2.0f * u);
  const float high = v * v * (3.0f - 2.0f * v);
  const float above = mix(uniform_at(left, top, seed), uniform_at(left + 1u, top, seed), wide);
  const float below = mix(uniform_at(left, top + 1u, seed), uniform_at(left + 1u, top + 1u, seed), wide);
  return mix(above, below, high);
}

// About 0.05 to 0.95: octaves of noise down to a few pixels, lighter toward the top.
float photo_level(float x, float y, float width, float height) {
  float frequency = 3.0f / max(width, height);
  float amplitude = 0.5f;
  float level = 0.0f;
  for (uint octave = 0u; octave < 8u; ++octave) {
    level += amplitude * smooth_noise(x * frequency, y * frequency, SEED + octave);
    frequency *= 2.0f;
    amplitude *= 0.5f;
  }
  const float fine = smooth_noise(x / 3.0f, y / 3.0f, SEED + 20u);
  return 0.05f + 0.65f * level + 0.05f * fine + 0.2f * (1.0f - y / height);
}

uchar sample_of(float level, uint distribution) {
  const int steps = distribution <= PHOTO ? 256 : 8;
  const int step = clamp((int)(level * (float)steps), 0, steps - 1);
  return (uchar)(distribution <= PHOTO ? step : step * 32 + 7);
}

// The level of a color channel, about 0 to 1. `level` is the level of the photo.
float channel_of(uint distribution, uint x, uint y, uint channel, float level, float width) {
  switch (distribution) {
    case NOISE: return uniform_at(x, y, SEED + 40u + channel);
    case CONSTANT: return 0.25f + 0.2f * (float)channel;
    case PHOTO: {
      const float scale = 5.0f / width;
      const float tint = smooth_noise((float)x * scale, (float)y * scale, SEED + 30u + channel);
      return level + 0.2f * (tint - 0.5f) + 0.012f * (uniform_at(x, y, SEED + 50u + channel) - 0.5f);
    }
    default: return level;
  }
}

// Each work-item paints one pixel: `channels` of red, green, blue and an opaque alpha.
__kernel void paint(__global uchar* samples, uint channels, uint width, uint height, uint distribution) {
  const ulong i = get_global_id(0);
  if (i >= (ulong)width * height) {
    return;
  }
  const uint x = (uint)(i % width);
  const uint y = (uint)(i / width);
  const float level = distribution < PHOTO ? 0.0f : photo_level((float)x, (float)y, (float)width, (float)height);
  for (uint c = 0u; c < channels; ++c) {
    samples[i * channels + c] =
        c == 3u ? (uchar)255 : sample_of(channel_of(distribution, x, y, c, level, (float)width), distribution);
  }
}
