"""Compares `gpuimg hist` with Pillow's and OpenCV's luma and with NumPy's counts, and parses its CSV, JSON and SVG."""
import csv
import io
import json
import os
import xml.etree.ElementTree

import gpuimg_run

numpy, cv2 = gpuimg_run.require("numpy", "cv2")
Image = gpuimg_run.require("PIL.Image")


class Hist(gpuimg_run.Comparison):
    def counts(self, image, *options):
        """All columns of the CSV except the first, one list each."""
        rows = list(csv.reader(io.StringIO(self.gpuimg("hist", image, *options).decode("ascii"))))
        self.assertEqual([row[0] for row in rows[1:]], [str(i) for i in range(len(rows) - 1)])
        return [[int(row[column]) for row in rows[1:]] for column in range(1, len(rows[0]))]

    def written(self, pixels):
        Image.fromarray(pixels).save(self.path("in.png"))
        return self.path("in.png")

    def test_luma_matches_pillow(self):
        for pixels in gpuimg_run.random_images(numpy, 3):
            expected = Image.fromarray(pixels).convert("L").histogram()
            self.assertEqual(self.counts(self.written(pixels)), [expected])

    def test_luma_of_the_samples_matches_pillow(self):
        for file in self.sample_files():
            with self.subTest(file), Image.open(file) as image:
                if image.mode in ("RGB", "L"):
                    self.assertEqual(self.counts(file), [image.convert("L").histogram()])

    def test_luma_opencv_matches_opencv(self):
        for pixels in gpuimg_run.random_images(numpy, 3):
            gray = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
            expected = cv2.calcHist([gray], [0], None, [256], [0, 256]).astype(int).ravel().tolist()
            self.assertEqual(self.counts(self.written(pixels), "--luma", "opencv"), [expected])

    def test_channels_are_counted_like_numpy(self):
        for pixels in gpuimg_run.random_images(numpy, 3):
            expected = [numpy.bincount(pixels[:, :, c].ravel(), minlength=256).tolist() for c in range(3)]
            self.assertEqual(self.counts(self.written(pixels), "--channel", "rgb"), expected)

    def test_sixteen_bits_stay_sixteen_bits(self):
        for pixels in gpuimg_run.random_images(numpy, 1, depth=16):
            self.assertTrue(cv2.imwrite(self.path("in.png"), pixels))
            expected = numpy.bincount(pixels.ravel(), minlength=65536).tolist()
            self.assertEqual(self.counts(self.path("in.png")), [expected])

    def test_summary_of_mixed_files_agrees_with_numpy(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        folder = self.path("mixed")
        os.mkdir(folder)
        pixels = []
        for number in range(40):
            size = generator.integers(1, 50, 2)
            gray = number % 3 == 0
            image = (generator.integers(0, 256, size if gray else (*size, 3)) // (1 + number % 4)).astype(numpy.uint8)
            extension = ("png", "bmp", "ppm", "tga")[number % 4]
            Image.fromarray(image).save(os.path.join(folder, f"{number}.{'pgm' if gray and extension == 'ppm' else extension}"))
            pixels.append(numpy.repeat(image.reshape(-1, 1), 3, 1) if gray else image.reshape(-1, 3))
        every = numpy.concatenate(pixels).astype(numpy.float64)
        found = {}
        exec(self.gpuimg("hist", "-q", "--merge", "--summary", "--channel", "rgb", folder, "-o", "-"), found)
        for name, expected, decimals in (("mean", every.mean(0) / 255, 8), ("std", every.std(0) / 255, 8),
                                         ("mean_levels", every.mean(0), 6), ("std_levels", every.std(0), 6)):
            self.assertEqual([f"{value:.{decimals}f}" for value in found[name]],
                             [f"{value:.{decimals}f}" for value in expected], name)

    def test_json_agrees_with_numpy(self):
        for pixels in gpuimg_run.random_images(numpy, 1):
            found = json.loads(self.gpuimg("hist", "--format", "json", self.written(pixels)))
            self.assertEqual(found["schema"], 1)
            (channel,) = found["histograms"]
            self.assertEqual(channel["counts"], numpy.bincount(pixels.ravel(), minlength=256).tolist())
            statistics = channel["statistics"]
            self.assertEqual((statistics["min"], statistics["max"]), (pixels.min(), pixels.max()))
            self.assertAlmostEqual(statistics["mean"], pixels.mean(dtype=float), places=9)

    def test_svg_is_well_formed(self):
        pixels = next(iter(gpuimg_run.random_images(numpy, 3, sizes=[(64, 48)])))
        for options in ([], ["--log"], ["--channel", "rgb"], ["--title", "<&\"'>\x1b"]):
            text = self.gpuimg("hist", "--format", "svg", *options, self.written(pixels))
            root = xml.etree.ElementTree.fromstring(text)
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
            self.assertGreater(len(root.findall(".//{http://www.w3.org/2000/svg}path")), 0)


gpuimg_run.main()
