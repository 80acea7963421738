"""Compares `gpuimg integral` with cv2.integral, skimage's integral_image and NumPy's cumulative sums."""
import csv

import gpuimg_run

numpy, cv2 = gpuimg_run.require("numpy", "cv2")
transform = gpuimg_run.require("skimage.transform")
Image = gpuimg_run.require("PIL.Image")


def exact_table(pixels, layout):
    sums = pixels.astype(object if pixels.dtype == object else numpy.uint64).cumsum(axis=0).cumsum(axis=1)
    return numpy.pad(sums, ((1, 0), (1, 0))) if layout == "padded" else sums


class Integral(gpuimg_run.Comparison):
    def write(self, pixels):
        self.assertTrue(cv2.imwrite(self.path("in.png"), pixels))

    def table(self, *options):
        self.gpuimg("integral", "--force", self.path("in.png"), self.path("out.npy"), *options)
        return numpy.load(self.path("out.npy"))

    def test_padded_matches_opencv(self):
        for pixels in gpuimg_run.random_images(numpy, 1):
            self.write(pixels)
            found = self.table()
            self.assertEqual(found.dtype, numpy.uint32)
            numpy.testing.assert_array_equal(found, cv2.integral(pixels))

    def test_squares_match_opencv(self):
        for pixels in gpuimg_run.random_images(numpy, 1):
            self.write(pixels)
            expected = cv2.integral2(pixels, sdepth=cv2.CV_64F, sqdepth=cv2.CV_64F)[1]
            numpy.testing.assert_array_equal(self.table("--square", "--type", "f64"), expected)

    def test_inclusive_matches_scikit_image(self):
        for pixels in gpuimg_run.random_images(numpy, 1):
            self.write(pixels)
            numpy.testing.assert_array_equal(self.table("--layout", "inclusive"), transform.integral_image(pixels))

    def test_every_type_and_layout_at_both_depths(self):
        types = {"u32": numpy.uint32, "u64": numpy.uint64, "f32": numpy.float32, "f64": numpy.float64}
        for depth in (8, 16):
            for pixels in gpuimg_run.random_images(numpy, 1, depth, sizes=[(203, 117)]):
                self.write(pixels)
                for layout in ("padded", "inclusive"):
                    expected = exact_table(pixels, layout)
                    for name, kind in types.items():
                        found = self.table("--layout", layout, "--type", name)
                        self.assertEqual(found.dtype, kind)
                        numpy.testing.assert_array_equal(found, expected.astype(kind))

    def test_squares_of_sixteen_bits_need_u64(self):
        for pixels in gpuimg_run.random_images(numpy, 1, 16, sizes=[(203, 117)]):
            self.write(pixels)
            found = self.table("--square", "--layout", "inclusive")
            self.assertEqual(found.dtype, numpy.uint64)
            numpy.testing.assert_array_equal(found, exact_table(pixels.astype(numpy.uint64) ** 2, "inclusive"))

    def test_luma_and_channels_of_color(self):
        for pixels in gpuimg_run.random_images(numpy, 3, sizes=[(131, 77)]):
            Image.fromarray(pixels).save(self.path("in.png"))
            luma = numpy.asarray(Image.fromarray(pixels).convert("L"))
            numpy.testing.assert_array_equal(self.table(), cv2.integral(luma))
            for index, name in enumerate("rgb"):
                expected = cv2.integral(numpy.ascontiguousarray(pixels[:, :, index]))
                numpy.testing.assert_array_equal(self.table("--channel", name), expected)

    def test_white_where_opencv_wraps(self):
        self.write(numpy.full((4200, 4200), 255, numpy.uint8))
        found = self.table("--layout", "inclusive")
        self.assertEqual((found.dtype, int(found[-1, -1])), (numpy.uint64, 255 * 4200 * 4200))
        wrapped = self.table("--type", "u32", "--allow-wrap", "--layout", "inclusive")
        self.assertEqual(int(wrapped[-1, -1]), 255 * 4200 * 4200 % 2**32)

    def test_csv_and_preview(self):
        for pixels in gpuimg_run.random_images(numpy, 1, sizes=[(61, 43)]):
            self.write(pixels)
            expected = cv2.integral(pixels).astype(int)
            self.gpuimg("integral", "--force", self.path("in.png"), self.path("out.csv"))
            with open(self.path("out.csv"), newline="") as file:
                rows = [[int(field) for field in row] for row in csv.reader(file)]
            self.assertEqual(rows, expected.tolist())
            self.gpuimg("integral", "--force", self.path("in.png"), self.path("out.png"))
            last = max(int(expected[-1, -1]), 1)
            preview = (2 * expected * 65535 + last) // (2 * last)
            numpy.testing.assert_array_equal(cv2.imread(self.path("out.png"), cv2.IMREAD_UNCHANGED), preview)


gpuimg_run.main()
