"""Compares the figures and pictures of `gpuimg compare` with NumPy's, its SSIM with scikit-image's, and its histogram
distances with OpenCV's, for random pairs of images of different kinds."""
import json
import math
import subprocess

import gpuimg_run

numpy, cv2, metrics = gpuimg_run.require("numpy", "cv2", "skimage.metrics")

PAIRS = 300
CLOSE = 1e-9
ROUNDING = 1e-14
DIFFERENT = 7
NAMES = {1: ["gray"], 3: ["r", "g", "b"], 4: ["r", "g", "b", "a"]}


def levels_of(pixels):
    return numpy.iinfo(pixels.dtype).max


def common(pixels, channels, depth):
    """The pixels as (h, w, channels) with this depth, without loss."""
    wide = pixels.astype(numpy.int64) * (257 if depth == 16 and pixels.dtype == numpy.uint8 else 1)
    wide = wide.reshape(*wide.shape[:2], -1)
    if wide.shape[2] == 1 and channels > 1:
        wide = numpy.repeat(wide, 3, 2)
    if wide.shape[2] == 3 and channels == 4:
        wide = numpy.concatenate([wide, numpy.full_like(wide[..., :1], 2**depth - 1)], 2)
    return wide


def expected_of(a, b, tolerance):
    """The expected JSON, according to docs/operations.md, "Comparison"."""
    depth = 16 if numpy.uint16 in (a.dtype, b.dtype) else 8
    channels = max(1 if pixels.ndim == 2 else pixels.shape[2] for pixels in (a, b))
    a, b = common(a, channels, depth), common(b, channels, depth)
    difference = numpy.abs(a - b)
    differing = (difference > tolerance).any(2)
    first = None
    if differing.any():
        y, x = (int(found[0]) for found in numpy.nonzero(differing))
        first = {"x": x, "y": y, "a": a[y, x].tolist(), "b": b[y, x].tolist()}
    mse = float((difference**2).sum()) / difference.size
    return {"bits": depth, "pixels": differing.size, "differing": int(differing.sum()), "first": first, "mse": mse,
            "psnr": 10 * math.log10((2**depth - 1)**2 / mse) if mse > 0 else None,
            "channels": [{"channel": name, "greatest": int(one.max()), "mean": float(one.mean())}
                         for name, one in zip(NAMES[channels], numpy.moveaxis(difference, 2, 0))]}


def similarities(a, b, gaussian, levels=255):
    """scikit-image's SSIM of each channel; None for each if the image is smaller than the window."""
    side = 11 if gaussian else 7
    if min(a.shape[:2]) < side:
        return [None] * a.shape[2]
    options = {"gaussian_weights": True, "sigma": 1.5, "use_sample_covariance": False} if gaussian else {}
    return [metrics.structural_similarity(a[..., c].astype(float), b[..., c].astype(float), **options,
                                                  data_range=levels)
            for c in range(a.shape[2])]


def distances(a, b, levels):
    """OpenCV's compareHist, and the earth mover's distance, from float64 counts: OpenCV's own counts are float32."""
    counts = [numpy.bincount(one.ravel(), minlength=levels).astype(numpy.float32) for one in (a, b)]
    found = {name: cv2.compareHist(*counts, method) for name, method in (
        ("correlation", cv2.HISTCMP_CORREL), ("chi_square", cv2.HISTCMP_CHISQR),
        ("intersection", cv2.HISTCMP_INTERSECT), ("bhattacharyya", cv2.HISTCMP_BHATTACHARYYA))}
    moved = numpy.cumsum(counts[0].astype(numpy.int64) - counts[1].astype(numpy.int64))
    return found | {"earth_mover": float(numpy.abs(moved).sum()) / a.size}


def visible(a, b):
    """As --transparent skip: a hidden color becomes the other image's color, or 0 if both are hidden."""
    a, b = a.copy(), b.copy()
    hidden_a, hidden_b = a[..., -1] == 0, b[..., -1] == 0
    colors_a = a[..., :-1].copy()
    a[..., :-1][hidden_a] = b[..., :-1][hidden_a]
    b[..., :-1][hidden_b] = colors_a[hidden_b]
    for one in (a, b):
        one[..., :-1][hidden_a & hidden_b] = 0
    return a, b


def picture_of(a, b, tolerance):
    """The picture of the differences for 8-bit images: docs/operations.md, "Pictures of differences"."""
    def gray(image):
        return image[..., 0] if image.shape[2] == 1 else (image[..., 0] + 2 * image[..., 1] + image[..., 2] + 2) // 4
    difference = numpy.abs(a - b).max(2)
    pale = 160 + 3 * ((gray(a) + gray(b)) // 2) // 8
    red = numpy.where(difference > tolerance, 128 + 127 * difference // max(1, int(difference.max())), 0)
    other = (pale * (255 - red) + 127) // 255
    return numpy.stack([(255 * red + pale * (255 - red) + 127) // 255, other, other], 2)


class Compare(gpuimg_run.Comparison):
    def random_pixels(self, generator, size):
        channels = int(generator.choice([1, 3, 4]))
        kind = generator.choice([numpy.uint8, numpy.uint16])
        shape = size if channels == 1 else (*size, channels)
        return generator.integers(0, numpy.iinfo(kind).max + 1, shape).astype(kind)

    def other(self, generator, pixels):
        """Another random image, the same image, a copy with a few changed pixels, or a copy with a little noise."""
        kind = generator.integers(4)
        if kind == 0:
            return self.random_pixels(generator, pixels.shape[:2])
        changed = pixels.copy()
        if kind == 2:
            for _ in range(3):
                changed[generator.integers(pixels.shape[0]), generator.integers(pixels.shape[1])] ^= 1
        if kind == 3:
            noise = generator.integers(-2, 3, pixels.shape)
            changed = numpy.clip(pixels.astype(numpy.int64) + noise, 0, levels_of(pixels)).astype(pixels.dtype)
        return changed

    def compared(self, a, b, tolerance, *more):
        for name, pixels in (("a", a), ("b", b)):
            self.assertTrue(cv2.imwrite(self.path(f"{name}.png"), pixels if pixels.ndim == 2 else
                                        numpy.concatenate([pixels[..., 2::-1], pixels[..., 3:]], 2)))
        options = ["-q", "--json", "--force", "--tolerance", str(tolerance)]
        command = [self.executable, "compare", *options, self.path("a.png"), self.path("b.png"), *more]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual(done.stderr, b"")
        return done.returncode, json.loads(done.stdout)

    def test_random_pairs(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        exit_codes = []
        for pair in range(PAIRS):
            a = self.random_pixels(generator, tuple(int(n) for n in generator.integers(1, 60, 2)))
            b = self.other(generator, a)
            tolerance = int(generator.choice([0, 0, 1, 100]))
            code, found = self.compared(a, b, tolerance)
            expected = expected_of(a, b, tolerance)
            what = (pair, a.shape, a.dtype, b.shape, b.dtype, tolerance)
            exit_codes.append(code)
            answer = (DIFFERENT, "different") if expected["first"] else (0, "equal")
            self.assertEqual((code, found["status"]), answer, what)
            self.assertTrue(found["same_size"])
            for channel in found["channels"]:
                del channel["ssim"]
            for key in ("bits", "pixels", "differing", "first", "mse", "channels"):
                self.assertEqual(found.get(key), expected[key], (*what, key))
            if expected["psnr"] is None:
                self.assertIsNone(found["psnr"], what)
            else:
                self.assertAlmostEqual(found["psnr"], expected["psnr"], 9, what)
        self.assertEqual(set(exit_codes), {0, DIFFERENT})  # both kinds of pairs occur

    def alike(self, generator, a):
        """A slightly blurred, darker or noisy copy."""
        wide = a.astype(numpy.float64)
        if generator.integers(2):
            wide = cv2.blur(wide, (3, 3)).reshape(a.shape)
        wide = wide * generator.uniform(0.8, 1.0) + generator.normal(0, levels_of(a) / 100, a.shape)
        return numpy.clip(numpy.round(wide), 0, levels_of(a)).astype(a.dtype)

    def test_structural_similarity_and_histograms(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        worst = 0.0
        for pair in range(PAIRS):
            a = self.random_pixels(generator, tuple(int(n) for n in generator.integers(5, 90, 2)))
            if generator.integers(2):
                a = cv2.GaussianBlur(a, (0, 0), 3)
            kind = generator.integers(3)
            b = self.other(generator, a) if kind == 0 else self.alike(generator, a)
            if kind == 2:
                b[: b.shape[0] // 2] = a[: a.shape[0] // 2]
            gaussian = bool(generator.integers(2))
            found = self.compared(a, b, 0, "--histogram", *(["--gaussian"] if gaussian else []))[1]
            depth, channels = found["bits"], len(found["channels"])
            wide_a, wide_b = common(a, channels, depth), common(b, channels, depth)
            what = (pair, a.shape, a.dtype, b.shape, b.dtype, gaussian)
            expected = similarities(wide_a, wide_b, gaussian, 2**depth - 1)
            if expected[0] is None:
                self.assertIsNone(found["ssim"], what)
            else:
                worst = max(worst, abs(found["ssim"] - numpy.mean(expected)))
                self.assertAlmostEqual(found["ssim"], numpy.mean(expected), delta=CLOSE, msg=what)
            for channel, one, ssim in zip(found["channels"], range(channels), expected):
                if ssim is not None:
                    self.assertAlmostEqual(channel["ssim"], ssim, delta=CLOSE, msg=what)
                for name, value in distances(wide_a[..., one], wide_b[..., one], 2**depth).items():
                    ours = channel["histogram"][name]
                    if name == "bhattacharyya" and abs(ours**2 - value**2) < ROUNDING:
                        continue  # both are near 0, where the root of 1 − sum magnifies rounding errors
                    self.assertAlmostEqual(ours, value, delta=CLOSE * max(1.0, abs(value)), msg=(*what, name))
        print(f"SSIM: the greatest difference is {worst:.3g}")

    def test_hidden_colors(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        for _ in range(20):
            a, b = generator.integers(0, 256, (2, 20, 30, 4)).astype(numpy.uint8)
            for one in (a, b):
                one[..., 3] *= generator.integers(0, 2, one.shape[:2]).astype(numpy.uint8)
            found = self.compared(a, b, 3, "--transparent", "skip")[1]
            seen = visible(a.astype(numpy.int64), b.astype(numpy.int64))
            difference = numpy.abs(seen[0] - seen[1])
            self.assertEqual(found["differing"], int((difference > 3).any(2).sum()))
            self.assertEqual(found["mse"], float((difference**2).sum()) / difference.size)
            self.assertAlmostEqual(found["ssim"], numpy.mean(similarities(*seen, False)), delta=CLOSE)

    def test_pictures(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        for _ in range(20):
            a = self.random_pixels(generator, (15, 22))
            b = self.other(generator, a)
            if numpy.uint16 in (a.dtype, b.dtype):
                a, b = (one.astype(numpy.uint8) for one in (a, b))
            channels = max(1 if one.ndim == 2 else one.shape[2] for one in (a, b))
            wide_a, wide_b = common(a, channels, 8), common(b, channels, 8)
            found = self.compared(a, b, 2, self.path("picture.png"), "--side-by-side", self.path("beside.png"))[1]
            picture = cv2.imread(self.path("picture.png"), cv2.IMREAD_UNCHANGED)[..., ::-1]
            numpy.testing.assert_array_equal(picture, picture_of(wide_a, wide_b, 2))
            self.assertEqual(found["picture"]["name"], self.path("picture.png"))
            beside = cv2.imread(self.path("beside.png"), cv2.IMREAD_UNCHANGED)[..., ::-1]
            self.assertEqual(beside.shape, (15, 3 * 22 + 16, 3))
            numpy.testing.assert_array_equal(beside[:, 2 * 30:], picture)
            self.assertTrue((beside[:, 22:30] == 255).all())
            self.compared(a, b, 0, self.path("times.png"), "--amplify", "5")
            times = cv2.imread(self.path("times.png"), cv2.IMREAD_UNCHANGED)
            times = times[..., None] if times.ndim == 2 else times[..., ::-1]
            difference = numpy.abs(wide_a - wide_b)
            colors = difference[..., :3] if channels > 1 else difference
            if channels == 4:
                colors = numpy.maximum(colors, difference[..., 3:])
            numpy.testing.assert_array_equal(times, numpy.minimum(5 * colors, 255))

    def test_images_of_different_size_differ(self):
        a = numpy.zeros((3, 4), numpy.uint8)
        code, found = self.compared(a, a.T.copy(), 0)
        self.assertEqual((code, found["status"], found["same_size"]), (DIFFERENT, "different", False))


gpuimg_run.main()
