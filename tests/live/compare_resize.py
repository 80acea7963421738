"""Compares resize, crop, rotate and flip with Pillow, byte for byte, and 16-bit results with exact fractions.

Pillow 12.3 resizes along columns first if an image is more than 100 times as high as wide and its height shrinks; Pillow
13 does so more often. Random cases of that kind are left out; one test calls Pillow once per pass, in gpuimg's order.
GPUIMG_TEST_RESIZES is the number of images resized to random sizes (default 10,000). GPUIMG_TEST_PACKAGES names a Pillow
of PyPI to use instead of the installed one.
"""
from fractions import Fraction
import os

import gpuimg_run

gpuimg_run.with_packages_of_environment()
numpy = gpuimg_run.require("numpy")
PIL, Image, ImageOps = gpuimg_run.require("PIL", "PIL.Image", "PIL.ImageOps")

CASES = int(os.environ.get("GPUIMG_TEST_RESIZES", 10000))
IN_A_RUN = 40
VERSION = tuple(int(part) for part in PIL.__version__.split(".")[:2])
FILTERS = {name: getattr(Image.Resampling, name.upper())
           for name in ("nearest", "box", "bilinear", "hamming", "bicubic", "lanczos")}
MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def random_image(generator, least=1, most=90):
    """Noise, black and white, or a ramp, in any of the four modes."""
    channels = int(generator.integers(1, 5))
    height, width = (int(n) for n in generator.integers(least, most, 2))
    shape = (height, width, channels)
    style = generator.integers(0, 3)
    if style == 0:
        pixels = generator.integers(0, 256, shape)
    elif style == 1:
        pixels = generator.integers(0, 2, shape) * 255
    else:
        pixels = numpy.broadcast_to(numpy.linspace(0, 255, width)[None, :, None], shape)
    pixels = pixels.astype(numpy.uint8)
    return Image.fromarray(pixels[..., 0] if channels == 1 else pixels, MODES[channels])


def has_our_order(image, size):
    """False if Pillow may resize along columns first."""
    width, height = image.size
    return VERSION < (12, 3) or (VERSION < (13, 0) and (height <= 100 * width or size[1] >= height))


class Resize(gpuimg_run.Comparison):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("in"))
        self.compared = 0

    def run_on(self, images, *arguments):
        """The results for all images, from one run of gpuimg."""
        for index, image in enumerate(images):
            image.save(self.path(f"in/{index}.png"), compress_level=1)
        self.gpuimg(*arguments, "--quiet", "--force", "--jobs", "1", self.path("in"), self.path("out"))
        for index in range(len(images)):
            with Image.open(self.path(f"out/{index}.png")) as result:
                result.load()
                yield result

    def assert_same(self, found, expected, *case):
        self.assertEqual((found.mode, found.size), (expected.mode, expected.size), case)
        different = int((numpy.asarray(found) != numpy.asarray(expected)).sum())
        self.assertEqual(different, 0, (*case, expected.mode))
        self.compared += 1

    def test_sizes_boxes_and_filters(self):
        generator = numpy.random.default_rng([gpuimg_run.seed(), 1])
        names = list(FILTERS)
        for run in range((CASES + IN_A_RUN - 1) // IN_A_RUN):
            name = names[run % len(names)]
            width, height = (int(n) for n in generator.integers(1, 120, 2))
            arguments = ["resize", "--size", f"{width}x{height}", "--fit", "stretch", "--filter", name]
            box = None
            least = 1
            if run % 3 == 0:
                least = 30
                x, y = (float(n) for n in generator.uniform(0, 25, 2))
                w, h = float(generator.uniform(0.3, 30 - x)), float(generator.uniform(0.3, 30 - y))
                box = (x, y, x + w, y + h)
                arguments += ["--box", f"{x!r},{y!r},{w!r},{h!r}"]
            images = [random_image(generator, least) for _ in range(IN_A_RUN)]
            for image, found in zip(images, self.run_on(images, *arguments)):
                if box or has_our_order(image, (width, height)):
                    expected = image.resize((width, height), FILTERS[name], box=box)
                    self.assert_same(found, expected, image.size, arguments)
        print(f"Pillow {PIL.__version__}: {self.compared} equal", flush=True)
        self.assertGreater(self.compared, CASES * 0.9)

    def test_high_and_narrow_images(self):
        """About 100 times as high as wide, where Pillow's order of passes changes; calls Pillow once per pass."""
        generator = numpy.random.default_rng([gpuimg_run.seed(), 6])
        in_two_calls = 0
        for width in (1, 2, 3):
            heights = [99 * width, 100 * width, 100 * width + 1, 700]
            images = [Image.fromarray(generator.integers(0, 256, (height, width, 3)).astype(numpy.uint8))
                      for height in heights]
            for size in ((width, 50), (width + 4, 60), (1, 90), (width, 800), (width + 4, 800)):
                arguments = ["resize", "--size", f"{size[0]}x{size[1]}", "--fit", "stretch", "--filter", "bicubic"]
                for image, found in zip(images, self.run_on(images, *arguments)):
                    if not has_our_order(image, size):
                        in_two_calls += 1
                        image = image.resize((size[0], image.height), Image.Resampling.BICUBIC)
                    self.assert_same(found, image.resize(size, Image.Resampling.BICUBIC), image.size, arguments)
        print(f"Pillow {PIL.__version__}: {self.compared} high images equal, {in_two_calls} in two calls", flush=True)
        if (12, 3) <= VERSION < (13, 0):
            self.assertEqual(in_two_calls, 18)

    def test_fits(self):
        generator = numpy.random.default_rng([gpuimg_run.seed(), 2])
        for run in range(12):
            width, height = (int(n) for n in generator.integers(1, 100, 2))
            name = list(FILTERS)[run % len(FILTERS)]
            images = [random_image(generator) for _ in range(IN_A_RUN)]
            for fit, function in (("inside", ImageOps.contain), ("cover", ImageOps.fit), ("pad", ImageOps.pad)):
                arguments = ["resize", "--size", f"{width}x{height}", "--fit", fit, "--filter", name]
                arguments += ["--enlarge"] if fit == "inside" else []
                for image, found in zip(images, self.run_on(images, *arguments)):
                    try:
                        expected = function(image, (width, height), FILTERS[name])
                    except ValueError:  # Pillow rejects a side of 0, which gpuimg changes to 1
                        continue
                    if has_our_order(image, found.size):
                        self.assert_same(found, expected, image.size, arguments)

    def test_one_side_and_percent(self):
        generator = numpy.random.default_rng([gpuimg_run.seed(), 3])
        images = [random_image(generator) for _ in range(IN_A_RUN)]
        sizes = {
            "37x": lambda w, h: (37, max(1, round(h / w * 37))),
            "x23": lambda w, h: (max(1, round(w / h * 23)), 23),
            "47.5%": lambda w, h: (max(1, round(w * 47.5 / 100)), max(1, round(h * 47.5 / 100))),
        }
        for size, sides in sizes.items():
            for image, found in zip(images, self.run_on(images, "resize", "--enlarge", "--size", size)):
                self.assert_same(found, image.resize(sides(*image.size), Image.Resampling.BICUBIC), image.size, size)

    def test_crop_rotate_and_flip(self):
        generator = numpy.random.default_rng([gpuimg_run.seed(), 4])
        images = [random_image(generator, 20) for _ in range(IN_A_RUN)]
        transposes = {("rotate", "90"): Image.Transpose.ROTATE_270, ("rotate", "180"): Image.Transpose.ROTATE_180,
                      ("rotate", "270"): Image.Transpose.ROTATE_90,
                      ("flip", "horizontal"): Image.Transpose.FLIP_LEFT_RIGHT,
                      ("flip", "vertical"): Image.Transpose.FLIP_TOP_BOTTOM}
        for arguments, transpose in transposes.items():
            for image, found in zip(images, self.run_on(images, *arguments)):
                self.assert_same(found, image.transpose(transpose), image.size, arguments)
        for image, found in zip(images, self.run_on(images, "crop", "--box", "3,5,14,11")):
            self.assert_same(found, image.crop((3, 5, 17, 16)), image.size)
        for image, found in zip(images, self.run_on(images, "crop", "--size", "15x6")):
            left, top = (image.width - 15) // 2, (image.height - 6) // 2
            self.assert_same(found, image.crop((left, top, left + 15, top + 6)), image.size)


def exact_filter(name, x):
    x = abs(x)
    if name == "bilinear":
        return max(1 - x, Fraction(0))
    if x < 1:
        return (Fraction(3, 2) * x - Fraction(5, 2)) * x * x + 1
    return Fraction(-1, 2) * (((x - 5) * x + 8) * x - 4) if x < 2 else Fraction(0)


def exact_row(row, size, name):
    """A row of integers resampled in exact fractions, not rounded."""
    scale = Fraction(len(row), size)
    stretch = max(scale, Fraction(1))
    reach = (1 if name == "bilinear" else 2) * stretch
    for i in range(size):
        center = (i + Fraction(1, 2)) * scale
        first = max(int(center - reach + Fraction(1, 2)), 0)
        last = min(int(center + reach + Fraction(1, 2)), len(row))
        weights = [exact_filter(name, (x - center + Fraction(1, 2)) / stretch) for x in range(first, last)]
        yield sum(w * v for w, v in zip(weights, row[first:last])) / sum(weights)


class Deep(gpuimg_run.Comparison):
    def test_sixteen_bits_are_exact_fractions_rounded(self):
        """Weights are rounded to 2^-38: before rounding, a sum of n weighted levels is off by n · 65535 · 2^-39 at most."""
        generator = numpy.random.default_rng([gpuimg_run.seed(), 5])
        for name in ("bilinear", "bicubic"):
            for _ in range(20):
                width, size = (int(n) for n in generator.integers(1, 60, 2))
                pixels = generator.integers(0, 65536, (2, width)).astype(numpy.uint16)
                Image.fromarray(pixels).save(self.path("in.png"))
                self.gpuimg("resize", "--quiet", "--force", "--size", f"{size}x2", "--fit", "stretch", "--filter",
                            name, self.path("in.png"), self.path("out.png"))
                with Image.open(self.path("out.png")) as image:
                    found = numpy.asarray(image).astype(int)
                for row, levels in zip(pixels.tolist(), found.tolist()):
                    for level, exact in zip(levels, exact_row(row, size, name)):
                        exact = min(max(exact, Fraction(0)), Fraction(65535))
                        self.assertLessEqual(abs(level - exact), Fraction(1, 2) + Fraction(1, 10**5),
                                             (width, size, name))


if __name__ == "__main__":
    gpuimg_run.main()
