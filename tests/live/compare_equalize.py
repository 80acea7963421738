"""Compares `gpuimg equalize` with OpenCV's equalizeHist and Pillow's ImageOps.equalize: every pixel must be equal."""
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
            if luma.min() == luma.max():  # a constant luma: gpuimg skips the lossy conversion to YCbCr and back
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
        """Compares every level with rational arithmetic."""
        generator = numpy.random.default_rng(gpuimg_run.seed())
        million = 10**6
        images = [pixels for depth in (8, 16)
                  for pixels in gpuimg_run.random_images(numpy, 1, depth=depth, sizes=[(1, 1), (17, 15), (97, 61)])]
        for case, pixels in enumerate(images):
            top = int(numpy.iinfo(pixels.dtype).max)
            low = (0, int(generator.integers(0, 99 * million)))[generator.integers(0, 2)]
            high = (100 * million, int(generator.integers(low + 1, 100 * million + 1)))[generator.integers(0, 2)]
            sums = [int(n) for n in numpy.bincount(pixels.ravel(), minlength=top + 1).cumsum()]
            first, last = (next(v for v in range(top + 1)
                                if sums[v] > 0 and sums[v] >= Fraction(share * sums[-1], 100 * million))
                           for share in (low, high))
            width = last - first
            table = [v if width == 0 else min(max(((v - first) * top + width // 2) // width, 0), top)
                     for v in range(top + 1)]
            percent = ",".join(f"{share // million}.{share % million:06d}" for share in (low, high))
            found = self.equalized(pixels, "--formula", "stretch", "--percent", percent)
            self.assertTrue((found == numpy.array(table, pixels.dtype)[pixels]).all(), (case, pixels.shape, percent))

    def matched_cases(self):
        """Pixels, the image to match, and the result, for 8 and 16 bits."""
        generator = numpy.random.default_rng(gpuimg_run.seed())
        for depth in (8, 16):
            top = 2**depth - 1
            for pixels in gpuimg_run.random_images(numpy, 1, depth=depth, sizes=[(17, 15), (97, 61)]):
                model = generator.normal(top * 0.35, top * 0.12, (50, 70)).clip(0, top).astype(pixels.dtype)
                Image.fromarray(model).save(self.path("model.png"))
                yield pixels, model, self.equalized(pixels, "--match", self.path("model.png")).astype(pixels.dtype)

    def test_match_takes_the_nearest_level(self):
        """Compares with a search through all levels in exact integers."""
        for pixels, model, found in self.matched_cases():
            levels, places = numpy.unique(pixels.ravel(), return_inverse=True)
            sums = numpy.bincount(places).cumsum()
            used, counts = numpy.unique(model, return_counts=True)
            distances = abs(sums[:, None] * model.size - counts.cumsum()[None, :] * pixels.size)
            nearest = distances.argmin(axis=1)  # the first of equally near levels, which is the smaller
            self.assertTrue((found == used[nearest][numpy.searchsorted(levels, pixels)]).all(), pixels.shape)

    def test_match_is_within_one_level_of_scikit_image(self):
        """scikit-image interpolates between the levels in use."""
        try:
            from skimage import exposure
        except ImportError:
            self.skipTest("scikit-image is not installed")
        for pixels, model, found in self.matched_cases():
            used = numpy.unique(model)
            theirs = numpy.searchsorted(used, numpy.round(exposure.match_histograms(pixels, model), 6))
            ours = numpy.searchsorted(used, found)
            self.assertTrue((used[ours] == found).all(), "a level that the model does not use")
            self.assertLessEqual(int(abs(theirs - ours).max()), 1, pixels.shape)

    def test_an_image_matches_itself(self):
        for depth in (8, 16):
            for pixels in gpuimg_run.random_images(numpy, 1, depth=depth, sizes=[(1, 1), (97, 61)]):
                Image.fromarray(pixels).save(self.path("itself.png"))
                found = self.equalized(pixels, "--match", self.path("itself.png")).astype(pixels.dtype)
                self.assertTrue((found == pixels).all(), pixels.shape)

    def test_samples_keep_their_format(self):
        for file in self.sample_files():
            with self.subTest(file):
                self.gpuimg("equalize", "--force", file, self.path("out.png"))
                before = cv2.imread(file, cv2.IMREAD_UNCHANGED)
                after = cv2.imread(self.path("out.png"), cv2.IMREAD_UNCHANGED)
                self.assertEqual((after.dtype, after.shape), (before.dtype, before.shape))


gpuimg_run.main()
