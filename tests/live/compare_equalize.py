"""Compares `gpuimg equalize` with OpenCV's equalizeHist and Pillow's ImageOps.equalize: every pixel equal."""
from fractions import Fraction

import gpuimg_run

numpy, cv2 = gpuimg_run.require("numpy", "cv2")
Image, ImageOps = gpuimg_run.require("PIL.Image", "PIL.ImageOps")


class Equalize(gpuimg_run.Comparison):
    def equalized(self, pixels, *options):
        Image.fromarray(pixels).save(self.path("in.png"))
        self.gpuimg("equalize", "--force", self.path("in.png"), self.path("out.png"), *options)
        with Image.open(self.path("out.png")) as image:
            return numpy.asarray(image)

    def assert_same(self, found, expected):
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        self.assertEqual(int((found != expected).sum()), 0, "values that differ")

    def test_gray_matches_opencv(self):
        for pixels in gpuimg_run.random_images(numpy, 1):
            self.assert_same(self.equalized(pixels, "--formula", "opencv"), cv2.equalizeHist(pixels))

    def test_gray_matches_pillow(self):
        for pixels in gpuimg_run.random_images(numpy, 1):
            expected = numpy.asarray(ImageOps.equalize(Image.fromarray(pixels)))
            self.assert_same(self.equalized(pixels, "--formula", "pillow"), expected)

    def test_channels_match_pillow(self):
        for pixels in gpuimg_run.random_images(numpy, 3):
            expected = numpy.asarray(ImageOps.equalize(Image.fromarray(pixels)))
            self.assert_same(self.equalized(pixels, "--formula", "pillow", "--color", "rgb"), expected)

    def test_channels_match_opencv(self):
        for pixels in gpuimg_run.random_images(numpy, 3):
            expected = cv2.merge([cv2.equalizeHist(plane) for plane in cv2.split(pixels)])
            self.assert_same(self.equalized(pixels, "--color", "rgb"), expected.reshape(pixels.shape))

    def test_ycbcr_matches_opencvs_recipe(self):
        for pixels in gpuimg_run.random_images(numpy, 3):
            luma, red, blue = cv2.split(cv2.cvtColor(pixels, cv2.COLOR_RGB2YCrCb))
            expected = cv2.cvtColor(cv2.merge([cv2.equalizeHist(luma), red, blue]), cv2.COLOR_YCrCb2RGB)
            if luma.min() == luma.max():  # nothing to equalize: gpuimg skips the lossy conversion to YCbCr and back
                expected = pixels
            self.assert_same(self.equalized(pixels, "--color", "ycbcr"), expected)

    def test_mask_matches_pillow(self):
        """Pixels are counted and changed only where the mask is not 0."""
        generator = numpy.random.default_rng(gpuimg_run.seed())
        for pixels in gpuimg_run.random_images(numpy, 1, sizes=[(97, 61)]):
            mask = (generator.integers(0, 2, pixels.shape) * 255).astype(numpy.uint8)
            Image.fromarray(mask).save(self.path("mask.png"))
            everywhere = ImageOps.equalize(Image.fromarray(pixels), mask=Image.fromarray(mask))
            expected = numpy.where(mask != 0, numpy.asarray(everywhere), pixels)
            self.assert_same(self.equalized(pixels, "--formula", "pillow", "--mask", self.path("mask.png")), expected)

    def test_stretch_is_exact(self):
        """Every level by rational arithmetic."""
        generator = numpy.random.default_rng(gpuimg_run.seed())
        for pixels in gpuimg_run.random_images(numpy, 1, sizes=[(17, 15), (97, 61)]):
            low = Fraction(int(generator.integers(0, 60 * 10**6)), 10**6)
            high = low + Fraction(int(generator.integers(1, 40 * 10**6)), 10**6)
            sums = [int(n) for n in numpy.bincount(pixels.ravel(), minlength=256).cumsum()]
            first, last = (next(v for v in range(256) if sums[v] > 0 and sums[v] >= share * sums[-1] / 100)
                           for share in (low, high))
            width = last - first
            table = [v if width == 0 else min(max(((v - first) * 255 + width // 2) // width, 0), 255)
                     for v in range(256)]
            found = self.equalized(pixels, "--formula", "stretch", "--percent", f"{float(low):.6f},{float(high):.6f}")
            self.assert_same(found, numpy.array(table, numpy.uint8)[pixels])

    def test_match_takes_the_nearest_level(self):
        """By a search of all levels; scikit-image, which interpolates, is within one level in use."""
        generator = numpy.random.default_rng(gpuimg_run.seed())
        for pixels in gpuimg_run.random_images(numpy, 1, sizes=[(17, 15), (97, 61)]):
            model = generator.normal(90, 30, (50, 70)).clip(0, 255).astype(numpy.uint8)
            Image.fromarray(model).save(self.path("model.png"))
            found = self.equalized(pixels, "--match", self.path("model.png"))
            sums = numpy.bincount(pixels.ravel(), minlength=256).cumsum()
            used, counts = numpy.unique(model, return_counts=True)
            distances = abs(sums[:, None] * model.size - counts.cumsum()[None, :] * pixels.size)
            nearest = distances.argmin(axis=1)  # the first, so the smaller, of equally near levels
            self.assert_same(found, used[nearest][pixels])
            interpolated = numpy.interp(sums / pixels.size, counts.cumsum() / model.size, used)
            place = numpy.searchsorted(used, interpolated)
            self.assertLessEqual(int(abs(place - nearest)[pixels].max()), 1)

    def test_samples_keep_their_format(self):
        for file in self.sample_files():
            with self.subTest(file):
                self.gpuimg("equalize", "--force", file, self.path("out.png"))
                before = cv2.imread(file, cv2.IMREAD_UNCHANGED)
                after = cv2.imread(self.path("out.png"), cv2.IMREAD_UNCHANGED)
                self.assertEqual((after.dtype, after.shape), (before.dtype, before.shape))


gpuimg_run.main()
