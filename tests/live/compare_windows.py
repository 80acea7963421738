"""Compares means, variances, thresholds and denoising with NumPy, OpenCV, scikit-image, doxapy: all pixels equal."""
import fractions
import importlib.util
import json
import os

import gpuimg_run

gpuimg_run.with_packages_of_environment()
numpy, cv2 = gpuimg_run.require("numpy", "cv2")

CASES = int(os.environ.get("GPUIMG_WINDOW_CASES", 40))


def random_pixels(generator, kind, channels=1, longest=(9, 70, 300)):
    """Noise, a noisy ramp, few levels or one level."""
    top = int(numpy.iinfo(kind).max)
    longest = longest[generator.integers(0, len(longest))]
    height, width = (int(n) for n in generator.integers(1, longest + 1, 2))
    shape = (height, width) if channels == 1 else (height, width, channels)
    style = generator.integers(0, 4)
    if style == 0:
        pixels = generator.integers(0, top + 1, shape)
    elif style == 1:
        ramp = numpy.add.outer(numpy.linspace(0, top * 0.6, height), numpy.linspace(0, top * 0.3, width))
        ramp = ramp if channels == 1 else ramp[..., None]
        pixels = numpy.clip(ramp + generator.normal(0, top * 0.05, shape), 0, top)
    elif style == 2:
        pixels = generator.integers(0, 3, shape) * (top // 3)
    else:
        pixels = numpy.full(shape, generator.integers(0, top + 1))
    return pixels.astype(kind)


def window_for(generator, pixels, most=61):
    """An odd window that fits; sometimes the largest possible one."""
    largest = min(2 * max(pixels.shape[:2]) - 1, most)
    return 2 * int(generator.integers(0, (largest + 1) // 2)) + 1


def window_sums(pixels, window, mode):
    """Exact sums and sums of squares of every window; Python integers if 64 bits are not enough."""
    radius = window // 2
    extended = numpy.pad(pixels.astype(numpy.uint64), radius, mode)
    sums = []
    for values in (extended, extended * extended):
        table = numpy.pad(values.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
        sums.append(table[window:, window:] - table[:-window, window:] - table[window:, :-window] +
                    table[:-window, :-window])
    return sums


def cut_window_sums(pixels, window):
    """Sums, sums of squares and pixel counts of the part of each window inside the image; all below 2⁵³."""
    radius = window // 2
    extended = numpy.pad(pixels.astype(numpy.int64), radius)
    sums = []
    for values in (extended, extended * extended, numpy.pad(numpy.ones(pixels.shape, numpy.int64), radius)):
        table = numpy.pad(values.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
        sums.append(table[window:, window:] - table[:-window, window:] - table[window:, :-window] +
                    table[:-window, :-window])
    return sums


def between(pixels, levels):
    """The sum of S²/n over the classes between the thresholds, exactly."""
    classes = numpy.digitize(pixels, levels, right=True)
    total = fractions.Fraction(0)
    for one in numpy.unique(classes):
        members = pixels[classes == one]
        total += fractions.Fraction(int(members.sum(dtype=numpy.int64)) ** 2, members.size)
    return total


class Windows(gpuimg_run.Comparison):
    def result(self, pixels, *arguments, form="png"):
        cv2.imwrite(self.path("in.png"), pixels)
        self.gpuimg(*arguments, "--force", self.path("in.png"), self.path("out." + form))
        if form == "npy":
            return numpy.load(self.path("out.npy"))
        return cv2.imread(self.path("out." + form), cv2.IMREAD_UNCHANGED)

    def assert_equal(self, found, expected, *case):
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape), case)
        self.assertEqual(int((found != expected).sum()), 0, case)

    def test_mean_of_8_bits_matches_blur(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        for case in range(CASES):
            pixels = random_pixels(generator, numpy.uint8, (1, 3)[case % 2])
            # OpenCV's border cannot reflect more than once, and OpenCV multiplies by 1/n in float32: two roundings of
            # 2⁻²⁴ of 255 could exceed 1/(2·129²).
            window = window_for(generator, pixels, min(2 * min(pixels.shape[:2]) - 1, 127))
            name, border = (("reflect101", cv2.BORDER_REFLECT_101), ("replicate", cv2.BORDER_REPLICATE))[case // 2 % 2]
            found = self.result(pixels, "integral", "--mean", window, "--border", name)
            self.assert_equal(found, cv2.blur(pixels, (window, window), borderType=border), case, pixels.shape, window)

    def test_mean_and_variance_match_numpy(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        modes = {"reflect101": "reflect", "replicate": "edge"}
        for case in range(CASES // 2):
            pixels = random_pixels(generator, (numpy.uint8, numpy.uint16)[case % 2], longest=(40, 300, 500))
            border = ("reflect101", "replicate")[case // 2 % 2]
            window = 401 if case == 1 and max(pixels.shape) > 200 else window_for(generator, pixels, 401)
            sums, squares = window_sums(pixels, window, modes[border])
            n = window * window
            found = self.result(pixels, "integral", "--mean", window, "--border", border)
            mean = ((2 * sums + numpy.uint64(n)) // numpy.uint64(2 * n)).astype(pixels.dtype)
            self.assert_equal(found, mean, case, pixels.shape, window)
            exact = squares.astype(object) * n - sums.astype(object) ** 2
            variance = exact.astype(numpy.float64) / (float(n) * float(n))
            for option, expected in (("--variance", variance), ("--deviation", numpy.sqrt(variance))):
                found = self.result(pixels, "integral", option, window, "--border", border, form="npy")
                self.assert_equal(found, expected.astype(numpy.float32), case, option, pixels.shape, window)

    def test_adaptive_mean_matches_opencv(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        for case in range(CASES):
            pixels = random_pixels(generator, numpy.uint8)
            window = max(3, window_for(generator, pixels))
            if window > 2 * max(pixels.shape) - 1:
                continue
            offset = (0, 2, -3, 2.5, -0.5, 300)[generator.integers(0, 6)]
            found = self.result(pixels, "threshold", "--method", "mean", "--window", window, "--offset", offset)
            expected = cv2.adaptiveThreshold(pixels, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, window, offset)
            self.assert_equal(found, expected, case, pixels.shape, window, offset)

    def test_otsu_matches_opencv(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        for case in range(CASES):
            kind = (numpy.uint8, numpy.uint16)[case % 2]
            top = int(numpy.iinfo(kind).max)
            shape = tuple(int(n) for n in generator.integers(20, 200, 2))  # enough levels that no two thresholds tie
            pixels = numpy.where(generator.random(shape) < 0.4, generator.normal(top * 0.3, top * 0.1, shape),
                                 generator.normal(top * 0.7, top * 0.1, shape)).clip(0, top).astype(kind)
            level, white = cv2.threshold(pixels, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
            found = self.result(pixels, "threshold", form=("png", "tif", "pnm")[case % 3])
            self.assert_equal(found, (pixels > level).astype(numpy.uint8) * 255, case, shape, level)

    def test_niblack_and_sauvola_match_scikit_image(self):
        if importlib.util.find_spec("skimage") is None:
            self.skipTest("scikit-image is not installed")
        from skimage.filters import threshold_niblack, threshold_sauvola
        generator = numpy.random.default_rng(gpuimg_run.seed())
        for case in range(CASES // 2):
            kind = (numpy.uint8, numpy.uint16)[case % 2]
            pixels = random_pixels(generator, kind, longest=(70, 300))
            if min(pixels.shape) < 8:
                continue
            window = max(3, window_for(generator, pixels, 2 * min(pixels.shape) - 1))
            k = float(numpy.round(generator.uniform(-0.5, 0.5), 2))
            found = self.result(pixels, "threshold", "--method", "sauvola", "--window", window, "--k", k)
            sauvola = threshold_sauvola(pixels, window, k, r=numpy.iinfo(kind).max / 2)
            different = int((found != (pixels > sauvola).astype(numpy.uint8) * 255).sum())
            self.assertLessEqual(different, 3e-6 * pixels.size, (case, pixels.shape, window, k))
            found = self.result(pixels, "threshold", "--method", "niblack", "--window", window, "--k", k)
            niblack = threshold_niblack(pixels, window, k)
            is_far = abs(pixels - niblack) > 1e-9 * numpy.iinfo(kind).max  # otherwise scikit-image's rounding decides
            different = (found != (pixels > niblack).astype(numpy.uint8) * 255) & is_far
            self.assertEqual(int(different.sum()), 0, (case, pixels.shape, window, k))

    def test_classes_match_scikit_image(self):
        if importlib.util.find_spec("skimage") is None:
            self.skipTest("scikit-image is not installed")
        from skimage.filters import threshold_multiotsu
        generator = numpy.random.default_rng(gpuimg_run.seed())
        better = equal = 0
        for case in range(CASES):
            classes = 2 + case % 3
            shape = tuple(int(n) for n in generator.integers(5, 200, 2))
            middle = generator.integers(0, 256, 4)
            noise = generator.normal(0, generator.uniform(1, 30), shape)
            pixels = numpy.clip(middle[generator.integers(0, 4, shape)] + noise, 0, 255).astype(numpy.uint8)
            if case % 4 == 0:
                pixels &= numpy.uint8(0xF0)  # few levels, so that thresholds tie
            if len(numpy.unique(pixels)) < classes:
                continue
            cv2.imwrite(self.path("in.png"), pixels)
            told = self.gpuimg("threshold", "--classes", classes, "--json", "--force", self.path("in.png"),
                               self.path("out.png"))
            told = json.loads(told)
            ours = told["thresholds"] if classes > 2 else [told["threshold"]]
            found = cv2.imread(self.path("out.png"), cv2.IMREAD_UNCHANGED)
            grays = numpy.floor(255 * numpy.arange(classes) / (classes - 1) + 0.5).astype(numpy.uint8)
            self.assert_equal(found, grays[numpy.digitize(pixels, ours, right=True)], case, shape, ours)
            theirs = [int(level) for level in threshold_multiotsu(pixels, classes)]
            self.assertGreaterEqual(between(pixels, ours), between(pixels, theirs), (case, ours, theirs))
            if between(pixels, ours) == between(pixels, theirs):
                equal += 1
                self.assertLessEqual(ours, theirs, case)
            else:
                better += 1
        print(f"classes: {equal} as good as scikit-image's, {better} better")
        self.assertGreater(equal, better)

    def test_wolf_and_nick_match_doxapy(self):
        if importlib.util.find_spec("doxapy") is None:
            self.skipTest("doxapy is not installed")
        import doxapy
        generator = numpy.random.default_rng(gpuimg_run.seed())
        near = 0
        for case in range(CASES):
            pixels = random_pixels(generator, numpy.uint8, longest=(70, 300))
            window = max(3, window_for(generator, pixels, min(min(pixels.shape), 181)))  # doxapy's sums have 32 bits
            if min(pixels.shape) < 8 or window > min(pixels.shape):
                continue
            k = float(numpy.round(generator.uniform(-0.5, 0.5), 2))
            sums, squares, n = cut_window_sums(pixels, window)
            mean = sums / n
            variance = (n * squares - sums * sums) / (n * n)
            deviation = numpy.sqrt(variance)
            part = deviation / (deviation.max() or 1.0)
            levels = {"wolf": mean - k * (1.0 - part) * (mean - float(pixels.min())),
                      "nick": mean + k * numpy.sqrt(squares / n)}
            for name, level in levels.items():
                found = self.result(pixels, "threshold", "--method", name, "--window", window, "--k", k)
                self.assert_equal(found, (pixels > level).astype(numpy.uint8) * 255, case, name, window, k)
                binary = numpy.empty_like(pixels)
                algorithm = doxapy.Binarization(getattr(doxapy.Binarization.Algorithms, name.upper()))
                algorithm.initialize(pixels.copy())
                algorithm.to_binary(binary, {"window": window, "k": k})
                # For nearer levels, doxapy's rounding decides: its variance Σx²/n − m² is off by up to 2⁻³⁵.
                most = 1e-9 if name == "nick" else 1e-5 * abs(k) * 255 / (deviation.max() or 1)
                is_far = abs(pixels - level) > most
                self.assertEqual(int(((found != binary) & is_far).sum()), 0, (case, name, pixels.shape, window, k))
                near += int((found != binary).sum())
        print(f"wolf and nick: {near} pixels differ from doxapy where its rounding decides")

    def test_denoise_matches_opencv(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        for case in range(CASES):
            channels = (1, 3)[case % 2]
            pixels = random_pixels(generator, numpy.uint8, channels, longest=(12, 60))
            strength = (3, 10, 25, 7.3)[case // 2 % 4]
            patch, search = ((7, 21), (5, 11), (3, 9), (1, 5), (9, 7))[case % 5]
            found = self.result(pixels, "denoise", "--filter-strength", strength, "--patch", patch, "--search", search)
            expected = cv2.fastNlMeansDenoising(pixels, None, strength, patch, search)
            self.assert_equal(found, expected, case, pixels.shape, strength, patch, search)

    def test_denoise_of_16_bits_matches_opencv(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        for case in range(CASES // 2):
            pixels = random_pixels(generator, numpy.uint16, (1, 3)[case % 2], longest=(12, 40))
            strength = (2570, 700, 6000.5)[case % 3]
            patch, search = ((7, 21), (5, 11), (3, 9))[case % 3]
            found = self.result(pixels, "denoise", "--filter-strength", strength, "--patch", patch, "--search", search)
            expected = cv2.fastNlMeansDenoising(pixels, [strength], None, patch, search, cv2.NORM_L1)
            self.assert_equal(found, expected, case, pixels.shape, strength, patch, search)


gpuimg_run.main()
