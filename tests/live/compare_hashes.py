"""Compares the hashes of `gpuimg duplicates --table` with imagehash's, bit for bit, on 500 images: the samples, the
photographs in the folder GPUIMG_TEST_PHOTOS, crops and rescaled copies of them, and random images.
GPUIMG_TEST_PACKAGES names PyPI packages to use, as in "pillow==12.3.0 imagehash==4.3.2". Takes 10 s.
"""
import csv
import io
import os

import gpuimg_run

gpuimg_run.with_packages_of_environment()
numpy, imagehash = gpuimg_run.require("numpy", "imagehash")
from PIL import Image

IMAGES = 500
HASHES = {"phash": imagehash.phash, "dhash": imagehash.dhash, "ahash": imagehash.average_hash}


class Hashes(gpuimg_run.Comparison):
    def sources(self):
        """Gray and RGB images of up to 800 pixels."""
        folder = os.environ.get("GPUIMG_TEST_PHOTOS")
        names = self.sample_files() + sorted(os.path.join(folder, name) for name in os.listdir(folder))[:40] if folder else \
            self.sample_files()
        images = []
        for name in names:
            with Image.open(name) as image:
                image = image.convert("RGB" if image.mode not in ("1", "L") else "L")
                image.thumbnail((800, 800))
                images.append(image)
        return images

    def variant(self, generator, image):
        """The image, a part of it, or a rescaled copy; sometimes converted to gray."""
        kind = generator.integers(4)
        width, height = image.size
        if kind == 1:
            sides = [int(generator.integers(8, side + 1)) for side in image.size]
            at = [int(generator.integers(0, side - part + 1)) for side, part in zip(image.size, sides)]
            image = image.crop((*at, at[0] + sides[0], at[1] + sides[1]))
        elif kind >= 2:
            share = generator.uniform(0.1, 1.0)
            image = image.resize((max(8, int(width * share)), max(8, int(height * generator.uniform(0.5, 1.5) * share))))
        return image.convert("L") if generator.integers(3) == 0 else image

    def random_image(self, generator):
        size = tuple(int(side) for side in generator.integers(1, 90, 2))
        pixels = generator.integers(0, 256, size if generator.integers(2) else (*size, 3)).astype(numpy.uint8)
        return Image.fromarray(pixels // 80 * 80 if generator.integers(4) == 0 else pixels)

    def undecided_bits(self, image):
        """The bits of phash whose frequency equals the median within the rounding error of 64-bit numbers. The package
        computes them in floating point, so they differ between processors: docs/operations.md, "Perceptual hashes".
        """
        pixels = numpy.asarray(image.convert("L").resize((32, 32), Image.LANCZOS)).astype(numpy.longdouble)
        places = numpy.outer(numpy.arange(8), 2 * numpy.arange(32) + 1).astype(numpy.longdouble)
        cosines = numpy.cos(places * numpy.arccos(numpy.longdouble(-1)) / 64)
        frequencies = 4 * cosines @ pixels @ cosines.T
        near = abs(frequencies - numpy.median(frequencies)) < 1e-13 * 4 * 32 * 32 * 255
        return int("".join("1" if bit else "0" for bit in near.flatten()), 2)

    def test_all_bits_are_equal(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        sources = self.sources()
        os.mkdir(self.path("in"))
        expected, undecided = {}, {}
        for number in range(IMAGES):
            image = self.random_image(generator) if number % 5 == 0 else \
                self.variant(generator, sources[generator.integers(len(sources))])
            name = self.path(f"in/{number:03}.png")
            image.save(name, compress_level=1)
            expected[name] = {kind: int(str(hash_of(image)), 16) for kind, hash_of in HASHES.items()}
            undecided[name] = self.undecided_bits(image)
        table = self.gpuimg("duplicates", "-q", "--table", self.path("in"), "-").decode()
        found = {row["name"]: row for row in csv.DictReader(io.StringIO(table))}
        self.assertEqual(sorted(found), sorted(expected))
        for name, hashes in expected.items():
            for kind, hash in hashes.items():
                differing = int(found[name][kind], 16) ^ hash
                self.assertEqual(differing & ~(undecided[name] if kind == "phash" else 0), 0, (name, kind))
        self.assertGreater(sum(bits == 0 for bits in undecided.values()), IMAGES / 2)


gpuimg_run.main()
