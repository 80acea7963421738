"""Compares `gpuimg equalize --clahe` of 8 and 16 bits with OpenCV's createCLAHE: every pixel must be equal."""
import os

import gpuimg_run

numpy, cv2 = gpuimg_run.require("numpy", "cv2")

CASES = int(os.environ.get("GPUIMG_CLAHE_CASES", 40))


def random_pixels(generator):
    """Noise, a narrow band of levels, a ramp, few levels or one level; sides are often shorter than the tiles."""
    kind = (numpy.uint8, numpy.uint16)[generator.integers(0, 2)]
    top = int(numpy.iinfo(kind).max)
    longest = (9, 70, 300, 700)[generator.integers(0, 4)]
    shape = tuple(int(n) for n in generator.integers(1, longest + 1, 2))
    if generator.integers(0, 3) == 0:  # sides that are multiples of the usual tile counts
        shape = tuple((n + 7) // 8 * 8 for n in shape)
    style = generator.integers(0, 5)
    if style == 0:
        pixels = generator.integers(0, top + 1, shape)
    elif style == 1:
        pixels = numpy.clip(generator.normal(top * 0.4, top * 0.03, shape), 0, top)
    elif style == 2:
        pixels = numpy.add.outer(numpy.linspace(0, top * 0.6, shape[0]), numpy.linspace(0, top * 0.4, shape[1]))
    elif style == 3:
        pixels = generator.integers(0, 3, shape) * (top // 3)
    else:
        pixels = numpy.full(shape, generator.integers(0, top + 1))
    return pixels.astype(kind)


class Clahe(gpuimg_run.Comparison):
    def test_gray_matches_opencv(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        for case in range(CASES):
            pixels = numpy.full((1, 1), 77, numpy.uint8) if case == 0 else random_pixels(generator)
            across, down = ((8, 8), tuple(int(n) for n in generator.integers(1, 65, 2)), (1, 1))[case % 3]
            clip = float((0, 1, 2, 2.5, 5, 40, generator.random() * 40)[generator.integers(0, 7)])
            cv2.imwrite(self.path("in.png"), pixels)
            self.gpuimg("equalize", "-q", "--force", "--clahe", "--bins", "full", "--tiles", f"{across}x{down}", "--clip", clip,
                        self.path("in.png"), self.path("out.png"))
            found = cv2.imread(self.path("out.png"), cv2.IMREAD_UNCHANGED)
            expected = cv2.createCLAHE(clip, (across, down)).apply(pixels)
            self.assertEqual(found.dtype, expected.dtype)
            self.assertEqual(int((found != expected).sum()), 0, (case, pixels.shape, pixels.dtype, across, down, clip))

    def test_ycbcr_matches_opencvs_recipe(self):
        for pixels in gpuimg_run.random_images(numpy, 3, sizes=[(97, 61), (64, 64), (5, 130)]):
            cv2.imwrite(self.path("in.png"), pixels)
            self.gpuimg("equalize", "-q", "--force", "--clahe", "--bins", "full", "--color", "ycbcr", self.path("in.png"), self.path("out.png"))
            luma, red, blue = cv2.split(cv2.cvtColor(pixels, cv2.COLOR_BGR2YCrCb))
            merged = cv2.merge([cv2.createCLAHE(2.0, (8, 8)).apply(luma), red, blue])
            expected = cv2.cvtColor(merged, cv2.COLOR_YCrCb2BGR)
            found = cv2.imread(self.path("out.png"), cv2.IMREAD_UNCHANGED)
            self.assertEqual(int((found != expected).sum()), 0, pixels.shape)

    def test_channels_match_opencv(self):
        for pixels in gpuimg_run.random_images(numpy, 3, depth=16, sizes=[(97, 61), (5, 130)]):
            cv2.imwrite(self.path("in.png"), pixels)
            self.gpuimg("equalize", "-q", "--force", "--clahe", "--bins", "full", "--color", "rgb", self.path("in.png"), self.path("out.png"))
            expected = cv2.merge([cv2.createCLAHE(2.0, (8, 8)).apply(plane) for plane in cv2.split(pixels)])
            found = cv2.imread(self.path("out.png"), cv2.IMREAD_UNCHANGED)
            self.assertEqual(int((found != expected).sum()), 0, pixels.shape)


gpuimg_run.main()
