// The sample images. Every machine draws the same pixels.
#pragma once

#include "gpuimg/image.hpp"

namespace gpuimg::samples {

Image landscape();   ///< 570 × 380, RGB: a lake in haze; all levels are in the middle of the range
Image posterized();  ///< 300 × 200, RGB: the lake in clear air; levels are multiples of 32
Image night();       ///< 480 × 320, RGB: a town under the moon; most pixels are nearly black
Image document();    ///< 480 × 360, gray: a printed page photographed under a lamp
Image radiograph();  ///< 256 × 320, 16-bit gray: bones in soft tissue; uses 1/8 of the range
Image ramp();        ///< 512 × 96, 16-bit gray: a full ramp, and a ramp of 500 levels around the middle
Image logo();        ///< 192 × 192, RGBA: an emblem with soft edges on a transparent background
Image spectrum();    ///< 360 × 120, RGB: every hue from left to right, lightness from top to bottom
Image flat();        ///< 64 × 64, gray: one level

}  // namespace gpuimg::samples
