"""Compares `gpuimg hsl` with OpenCV's float HLS and with exact fractions, and checks its round trip through files."""
import fractions

import gpuimg_run

numpy, cv2 = gpuimg_run.require("numpy", "cv2")
Image = gpuimg_run.require("PIL.Image")


def exact_hsl(red, green, blue):
    """Hue in degrees, saturation and lightness of 8-bit values as exact fractions, by definition."""
    low, high = min(red, green, blue), max(red, green, blue)
    chroma, total = high - low, high + low
    lightness = fractions.Fraction(total, 510)
    if chroma == 0:
        return fractions.Fraction(0), fractions.Fraction(0), lightness
    if high == red:
        sixths = (green - blue) % (6 * chroma)
    elif high == green:
        sixths = blue - red + 2 * chroma
    else:
        sixths = red - green + 4 * chroma
    return fractions.Fraction(60 * sixths, chroma), fractions.Fraction(chroma, min(total, 510 - total)), lightness


def nearest_float32(value):
    """The float32 nearest to a fraction, ties to even. A conversion by way of float64 could round twice."""
    guess = numpy.float32(float(value))
    candidates = [numpy.nextafter(guess, numpy.float32(-1)), guess, numpy.nextafter(guess, numpy.float32(1000))]
    errors = [abs(fractions.Fraction(float(candidate)) - value) for candidate in candidates]
    return candidates[errors.index(min(errors))]


class Hsl(gpuimg_run.Comparison):
    def write(self, pixels):
        if pixels.dtype == numpy.uint16:
            self.assertTrue(cv2.imwrite(self.path("in.png"), pixels[:, :, ::-1]))
        else:
            Image.fromarray(pixels).save(self.path("in.png"))

    def float_hsl(self, pixels):
        self.write(pixels)
        self.gpuimg("hsl", "--force", self.path("in.png"), self.path("hsl.npy"))
        hsl = numpy.load(self.path("hsl.npy"))
        self.assertEqual((hsl.dtype, hsl.shape), (numpy.float32, pixels.shape))
        return hsl

    def test_hue_is_within_a_step_of_opencv(self):
        """OpenCV gets the levels divided by a power of two, exact in float32; hue does not depend on the scale."""
        for depth in (8, 16):
            for pixels in gpuimg_run.random_images(numpy, 3, depth):
                found = self.float_hsl(pixels)[..., 0].astype(numpy.float64)
                exact = pixels.astype(numpy.float32) / numpy.float32(2**depth)
                turn = numpy.abs(found - cv2.cvtColor(exact, cv2.COLOR_RGB2HLS)[..., 0])
                self.assertLessEqual(numpy.minimum(turn, 360 - turn).max(), 3.1e-5)

    def test_saturation_and_lightness_are_near_those_of_opencv(self):
        for pixels in gpuimg_run.random_images(numpy, 3):
            found = self.float_hsl(pixels).astype(numpy.float64)
            hls = cv2.cvtColor(pixels.astype(numpy.float32) / numpy.float32(255), cv2.COLOR_RGB2HLS)
            self.assertLessEqual(numpy.abs(found[..., 2] - hls[..., 1]).max(), 1.2e-7)
            # OpenCV subtracts levels that are already rounded to float32; that error has more effect near black and
            # white.
            total = pixels.max(axis=2).astype(int) + pixels.min(axis=2)
            room = numpy.maximum(numpy.minimum(total, 510 - total), 1)
            limit = numpy.where(total == 510, numpy.inf, 255 * 2.0**-22 / room)
            self.assertTrue((numpy.abs(found[..., 1] - hls[..., 2]) <= limit).all())

    def test_float_is_the_nearest_to_the_exact_fraction(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        pixels = generator.integers(0, 256, (60, 50, 3)).astype(numpy.uint8)
        pixels[:8] = generator.integers(0, 3, (8, 50, 3)) + 126
        hsl = self.float_hsl(pixels)
        for y, x in numpy.ndindex(pixels.shape[:2]):
            expected = [nearest_float32(value) for value in exact_hsl(*map(int, pixels[y, x]))]
            self.assertEqual(hsl[y, x].tolist(), [float(value) for value in expected], pixels[y, x])

    def test_back_from_float_and_u16_through_files(self):
        for channels in (3, 4):
            for pixels in gpuimg_run.random_images(numpy, channels):
                if channels == 4:
                    pixels = numpy.ascontiguousarray(pixels)
                self.write(pixels)
                for name in ("hsl.npy", "hsl.png"):
                    if channels == 4 and name == "hsl.npy":
                        continue
                    self.gpuimg("hsl", "--force", self.path("in.png"), self.path(name))
                    self.gpuimg("hsl", "--force", "--inverse", "--depth", "8", self.path(name), self.path("back.png"))
                    with Image.open(self.path("back.png")) as image:
                        numpy.testing.assert_array_equal(numpy.asarray(image), pixels)

    def test_planes_are_the_channels(self):
        for pixels in gpuimg_run.random_images(numpy, 3, sizes=[(37, 23)]):
            self.write(pixels)
            for encoding, order in (("u16", "hsl"), ("opencv", "hls")):
                self.gpuimg("hsl", "--force", "--encode", encoding, self.path("in.png"), self.path("all.png"))
                self.gpuimg("hsl", "--force", "--encode", encoding, "--planes", self.path("in.png"), self.path("p.png"))
                whole = cv2.imread(self.path("all.png"), cv2.IMREAD_UNCHANGED)[:, :, ::-1]
                for index, name in enumerate(order):
                    plane = cv2.imread(self.path(f"p_{name}.png"), cv2.IMREAD_UNCHANGED)
                    numpy.testing.assert_array_equal(plane, whole[:, :, index])
            self.gpuimg("hsl", "--force", "--planes", self.path("in.png"), self.path("p.npy"))
            floats = self.float_hsl(pixels)
            for index, name in enumerate("hsl"):
                numpy.testing.assert_array_equal(numpy.load(self.path(f"p_{name}.npy")), floats[:, :, index])

    def test_u16_is_the_rounded_fraction(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        pixels = generator.integers(0, 256, (40, 50, 3)).astype(numpy.uint8)
        self.write(pixels)
        self.gpuimg("hsl", self.path("in.png"), self.path("hsl.png"))
        found = cv2.imread(self.path("hsl.png"), cv2.IMREAD_UNCHANGED)[:, :, ::-1]
        half = fractions.Fraction(1, 2)
        for y, x in numpy.ndindex(pixels.shape[:2]):
            hue, saturation, lightness = exact_hsl(*map(int, pixels[y, x]))
            expected = [
                int(65536 * hue / 360 + half) % 65536,
                int(65535 * saturation + half),
                int(65535 * lightness + half),
            ]
            self.assertEqual(found[y, x].tolist(), expected, pixels[y, x])


gpuimg_run.main()
