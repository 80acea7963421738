"""Compares the rows of `gpuimg hist --table` with NumPy's statistics, for files and for members of an archive.
Also checks the PNG and JPEG photographs in the folder GPUIMG_TEST_PHOTOS, if set.
"""
import csv
import json
import os
import tarfile

import gpuimg_run
from level_statistics import luma_of, numpy, statistics_of

cv2 = gpuimg_run.require("cv2")
Image, ImageOps = gpuimg_run.require("PIL.Image", "PIL.ImageOps")

CLOSE = 1e-9  # relative; floats are summed in another order


def pixels_of(file):
    """Upright gray or RGB pixels, and alpha or None, of PNG and JPEG; None for kinds that Pillow converts."""
    with Image.open(file) as image:
        if image.mode in ("I", "I;16") or image.format == "PNG":
            pixels = cv2.imread(file, cv2.IMREAD_UNCHANGED)
            if image.mode == "P" or pixels is None or image.info.get("transparency") is not None or image.mode == "LA":
                return None
            return pixels if pixels.ndim == 2 else numpy.concatenate([pixels[..., 2::-1], pixels[..., 3:]], 2)
        return numpy.asarray(ImageOps.exif_transpose(image)) if image.mode in ("L", "RGB") else None


class Tables(gpuimg_run.Comparison):
    def check_channel(self, row, levels, top, what):
        for name, value in statistics_of(levels, top).items():
            if name != "mode":
                self.assertLessEqual(abs(row[name] - value), CLOSE * max(1, abs(value)), (what, name, row[name], value))

    def check_row(self, row, file):
        """Checks one object of the JSON lines; returns False if Pillow cannot give the pixels."""
        pixels = pixels_of(file)
        if pixels is None:
            return False
        top = numpy.iinfo(pixels.dtype).max
        height, width = pixels.shape[:2]
        channels = 1 if pixels.ndim == 2 else pixels.shape[2]
        self.assertEqual([row["width"], row["height"], row["bits"], row["channels"]],
                         [width, height, 8 * pixels.itemsize, channels], file)
        counted = pixels[..., 3] > 0 if channels == 4 else numpy.ones((height, width), bool)
        self.assertEqual((row["counted"], row["skipped"]), (counted.sum(), (~counted).sum()), file)
        if not counted.any():
            return True
        self.check_channel(row["luma"], luma_of(pixels)[counted], top, (file, "luma"))
        for index, name in enumerate("rgba"):
            if index < channels and channels > 1:
                levels = pixels[..., index] if name == "a" else pixels[..., index][counted]  # alpha counts all pixels
                self.check_channel(row[name], levels.ravel(), top, (file, name))
            else:
                self.assertIsNone(row[name], (file, name))
        return True

    def rows(self, *inputs):
        self.gpuimg("hist", "-q", "--force", "--table", *inputs, self.path("rows.jsonl"))
        with open(self.path("rows.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def check_files(self, files, *inputs):
        """Returns how many rows could be checked. `files` lists the files that `inputs` expand to, in order."""
        rows = self.rows(*(inputs or files))
        self.assertEqual([row["name"] for row in rows], files)
        return sum(self.check_row(row, file) for row, file in zip(rows, files))

    def written(self):
        """Writes files of random pixels of every kind, and returns their paths."""
        files = []
        for channels in (1, 3, 4):
            for depth in (8, 16):
                for pixels in gpuimg_run.random_images(numpy, channels, depth, sizes=[(1, 1), (17, 15), (255, 129)]):
                    files.append(self.path(f"{len(files):03}-{channels}-{depth}.png"))
                    self.assertTrue(cv2.imwrite(files[-1], pixels))
        return files

    def test_random_images(self):
        files = self.written()
        self.assertEqual(self.check_files(files), len(files))

    def test_samples(self):
        self.assertGreater(self.check_files(self.sample_files()), 4)

    def test_csv_holds_the_same_numbers(self):
        files = self.written()[::7]
        self.gpuimg("hist", "-q", "--table", *files, self.path("rows.csv"))
        with open(self.path("rows.csv"), newline="") as file:
            found = list(csv.DictReader(file))
        expected = self.rows(*files)
        self.assertEqual([row["name"] for row in found], files)
        for row, same in zip(found, expected):
            for name in ("luma", "r", "g", "b", "a"):
                for key, value in (same[name] or {}).items():
                    self.assertEqual(float(row[f"{name}_{key}"]), value, (name, key))
                if same[name] is None:
                    self.assertEqual(row[f"{name}_mean"], "")

    def test_members_of_an_archive(self):
        if b"libarchive " not in self.gpuimg("version"):
            self.skipTest("built without libarchive")
        files = self.written()
        with tarfile.open(self.path("in.tar"), "w") as archive:
            for file in files:
                archive.add(file, os.path.basename(file))
        rows = self.rows(self.path("in.tar"))
        self.assertEqual([row["name"] for row in rows], [os.path.basename(file) for file in files])
        for row, file in zip(rows, files):
            self.assertTrue(self.check_row(row, file))

    def test_photographs(self):
        folder = os.environ.get("GPUIMG_TEST_PHOTOS")
        if not folder:
            self.skipTest("GPUIMG_TEST_PHOTOS names no folder")
        files = sorted(os.path.join(path, name) for path, _, names in os.walk(folder) for name in names
                       if name.lower().endswith((".png", ".jpg", ".jpeg")))
        count = self.check_files(files, "-r", folder)
        print(f"{count} photographs of {len(files)}", flush=True)
        self.assertGreater(count, 0)


gpuimg_run.main()
