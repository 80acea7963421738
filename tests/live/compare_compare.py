"""Compares the numbers of `gpuimg compare` with NumPy's over random pairs of images of different kinds."""
import json
import math
import subprocess

import gpuimg_run

numpy, cv2 = gpuimg_run.require("numpy", "cv2")

PAIRS = 200
DIFFERENT = 7
NAMES = {1: ["gray"], 3: ["r", "g", "b"], 4: ["r", "g", "b", "a"]}


def levels_of(pixels):
    return numpy.iinfo(pixels.dtype).max


def common(pixels, channels, depth):
    """The pixels as (h, w, channels) of this depth, without loss."""
    wide = pixels.astype(numpy.int64) * (257 if depth == 16 and pixels.dtype == numpy.uint8 else 1)
    wide = wide.reshape(*wide.shape[:2], -1)
    if wide.shape[2] == 1 and channels > 1:
        wide = numpy.repeat(wide, 3, 2)
    if wide.shape[2] == 3 and channels == 4:
        wide = numpy.concatenate([wide, numpy.full_like(wide[..., :1], 2**depth - 1)], 2)
    return wide


def expected_of(a, b, tolerance):
    """What the JSON must say, by docs/operations.md, "Comparison"."""
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


class Compare(gpuimg_run.Comparison):
    def random_pixels(self, generator, size):
        channels = int(generator.choice([1, 3, 4]))
        kind = generator.choice([numpy.uint8, numpy.uint16])
        shape = size if channels == 1 else (*size, channels)
        return generator.integers(0, numpy.iinfo(kind).max + 1, shape).astype(kind)

    def other(self, generator, pixels):
        """Another random image, the same one, one with a few other pixels, or one with a little noise."""
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

    def compared(self, a, b, tolerance):
        for name, pixels in (("a", a), ("b", b)):
            self.assertTrue(cv2.imwrite(self.path(f"{name}.png"), pixels if pixels.ndim == 2 else
                                        numpy.concatenate([pixels[..., 2::-1], pixels[..., 3:]], 2)))
        options = ["-q", "--json", "--tolerance", str(tolerance)]
        command = [self.executable, "compare", *options, self.path("a.png"), self.path("b.png")]
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
            for key in ("bits", "pixels", "differing", "first", "mse", "channels"):
                self.assertEqual(found.get(key), expected[key], (*what, key))
            if expected["psnr"] is None:
                self.assertIsNone(found["psnr"], what)
            else:
                self.assertAlmostEqual(found["psnr"], expected["psnr"], 9, what)
        self.assertEqual(set(exit_codes), {0, DIFFERENT})  # the pairs are of both kinds

    def test_images_of_different_size_differ(self):
        a = numpy.zeros((3, 4), numpy.uint8)
        code, found = self.compared(a, a.T.copy(), 0)
        self.assertEqual((code, found["status"], found["same_size"]), (DIFFERENT, "different", False))


gpuimg_run.main()
