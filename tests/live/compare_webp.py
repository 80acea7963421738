"""Compares WebP, HEIC and AVIF with Pillow, OpenCV, dwebp and heif-convert: pixels, animations, metadata, damage."""
import json
import shutil
import struct
import subprocess
import sys

import gpuimg_run

numpy, cv2 = gpuimg_run.require("numpy", "cv2")
Image, ImageCms, features = gpuimg_run.require("PIL.Image", "PIL.ImageCms", "PIL.features")

SIZES = [(1, 1), (2, 3), (17, 15), (64, 1), (131, 77)]
ORIENTATION = 0x0112


class Comparison(gpuimg_run.Comparison):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(gpuimg_run.seed())

    def image(self, width, height, mode):
        """A smooth image with noise in its alpha."""
        small = self.random.integers(0, 256, (height // 8 + 2, width // 8 + 2, 3)).astype(numpy.uint8)
        image = Image.fromarray(small).resize((width, height), Image.BICUBIC)
        if mode == "RGBA":
            image.putalpha(Image.fromarray(self.random.integers(0, 255, (height, width)).astype(numpy.uint8)))
        return image

    def through(self, file, out="out.png", *options):
        self.gpuimg("equalize", "--strength", "0", "--force", file, self.path(out), *options)
        return self.path(out)

    def pixels(self, file):
        with Image.open(file) as image:
            return numpy.asarray(image)


class Webp(Comparison):
    def setUp(self):
        super().setUp()
        version = subprocess.run([self.executable, "version"], capture_output=True, check=True).stdout
        if b"no libwebp" in version:
            self.skipTest("gpuimg is built without libwebp")

    def test_read_like_pillow_and_dwebp(self):
        for width, height in SIZES:
            for mode in ("RGB", "RGBA"):
                for options in ({"lossless": True, "exact": True}, {"quality": 30}, {"quality": 95, "method": 0},
                                {"quality": 80, "alpha_quality": 50}):
                    file = self.path("in.webp")
                    self.image(width, height, mode).save(file, **options)
                    found = self.pixels(self.through(file))
                    numpy.testing.assert_array_equal(found, self.pixels(file), f"{width}x{height} {mode} {options}")
                    if shutil.which("dwebp"):
                        subprocess.run(["dwebp", "-quiet", file, "-o", self.path("d.png")], check=True)
                        numpy.testing.assert_array_equal(found, self.pixels(self.path("d.png")))
                    if mode == "RGB":
                        opencv = cv2.cvtColor(cv2.imread(file), cv2.COLOR_BGR2RGB)
                        self.assertLessEqual(numpy.abs(found.astype(int) - opencv).max(), 0)

    def test_first_frame_of_an_animation(self):
        frames = [self.image(40, 30, "RGBA") for _ in range(3)]
        frames[0].save(self.path("in.webp"), save_all=True, append_images=frames[1:], lossless=True, exact=True)
        command = [self.executable, "equalize", "--strength", "0", self.path("in.webp"), self.path("out.png")]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("WebP animation: first frame only", done.stderr)
        numpy.testing.assert_array_equal(self.pixels(self.path("out.png")), self.pixels(self.path("in.webp")))

    def test_lossless_is_written_exactly(self):
        for channels, mode in ((1, "L"), (2, "LA"), (3, "RGB"), (4, "RGBA")):
            for pixels in gpuimg_run.random_images(numpy, channels, sizes=SIZES):
                Image.fromarray(pixels, mode).save(self.path("in.png"))
                found = self.pixels(self.through(self.path("in.png"), "out.webp", "--lossless"))
                expected = numpy.asarray(Image.fromarray(pixels, mode).convert("RGBA" if "A" in mode else "RGB"))
                if found.shape[2] < expected.shape[2]:  # gpuimg drops alpha that is opaque everywhere
                    self.assertTrue((expected[:, :, 3] == 255).all())
                numpy.testing.assert_array_equal(found, expected[:, :, :found.shape[2]])

    def test_quality_orders_size_and_difference(self):
        photo = self.image(300, 200, "RGB")
        photo.save(self.path("in.png"))
        sizes, differences = [], []
        for quality in (1, 50, 90, 100):
            file = self.through(self.path("in.png"), "out.webp", "--quality", quality)
            with open(file, "rb") as written:
                sizes.append(len(written.read()))
            differences.append(numpy.abs(self.pixels(file).astype(int) - numpy.asarray(photo)).mean())
        self.assertEqual(sizes, sorted(sizes))
        self.assertEqual(differences, sorted(differences, reverse=True))

    def test_metadata_both_ways(self):
        profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
        profile += b"\0" * (len(profile) % 2 == 0)  # an odd size, which WebP pads
        profile = struct.pack(">I", len(profile)) + profile[4:]
        packet = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><a>Gr\xc3\xbc\xc3\x9fe</a></x:xmpmeta>'
        exif = Image.Exif()
        exif[ORIENTATION] = 6
        exif[0x010F] = "A camera"
        for mode in ("RGB", "RGBA"):
            for lossless in (True, False):
                photo = self.image(43, 29, mode)
                photo.save(self.path("in.webp"), lossless=lossless, icc_profile=profile, exif=exif.tobytes(), xmp=packet)
                for out in ("out.webp", "out.png"):
                    self.through(self.path("in.webp"), out)
                    with Image.open(self.path(out)) as found:
                        self.assertEqual(found.size, (29, 43))
                        self.assertEqual(found.info["icc_profile"], profile)
                        self.assertEqual(dict(found.getexif()), {ORIENTATION: 1, 0x010F: "A camera"})
                        if out == "out.webp":
                            self.assertEqual(found.info["xmp"], packet)
                facts = json.loads(self.gpuimg("info", "--json", self.path("in.webp")))
                facts = facts[0] if isinstance(facts, list) else facts
                self.assertEqual((facts["xmp_bytes"], facts["lossless"]), (len(packet), lossless))

    def test_no_cut_file_is_read_and_no_changed_one_is_fatal(self):
        self.image(19, 13, "RGBA").save(self.path("in.webp"), quality=70)
        with open(self.path("in.webp"), "rb") as file:
            whole = file.read()
        for trial in range(40):
            data = bytearray(whole)
            for _ in range(int(self.random.integers(1, 5))):
                data[int(self.random.integers(0, len(data)))] = int(self.random.integers(0, 256))
            size = int(self.random.integers(0, len(whole))) if trial % 2 else len(whole)
            with open(self.path("bad.webp"), "wb") as file:
                file.write(whole[:size] if trial % 2 else data)
            done = subprocess.run([self.executable, "hist", self.path("bad.webp"), "-"], capture_output=True)
            self.assertIn(done.returncode, (3,) if trial % 2 else (0, 3), done.stderr)
            self.assertEqual(done.returncode != 0, b"error: " in done.stderr)


class Heif(Comparison):
    def setUp(self):
        super().setUp()
        version = subprocess.run([self.executable, "version"], capture_output=True, check=True).stdout
        if b"HEVC, AV1" not in version:
            self.skipTest("gpuimg cannot read HEIC and AVIF here")
        if not (shutil.which("heif-enc") and shutil.which("heif-convert")):
            self.skipTest("libheif's programs are not installed")

    def test_read_like_heif_convert(self):
        for extension in ("heic", "avif"):
            for width, height in ((131, 77),):
                for mode in ("RGB", "RGBA"):
                    self.image(width, height, mode).save(self.path("in.png"))
                    file = self.path("in." + extension)
                    kind = ["-A"] if extension == "avif" else []
                    subprocess.run(["heif-enc", *kind, "-q", "60", self.path("in.png"), "-o", file],
                                   check=True, capture_output=True)
                    subprocess.run(["heif-convert", file, self.path("ref.png")], check=True, capture_output=True)
                    found = self.pixels(self.through(file))
                    numpy.testing.assert_array_equal(found, self.pixels(self.path("ref.png")), f"{extension} {mode}")

    def test_ten_bits_use_the_full_range_of_sixteen(self):
        ramp = numpy.repeat(numpy.linspace(0, 1023, 96).astype(numpy.uint16)[None, :], 64, axis=0)
        cv2.imwrite(self.path("in.png"), numpy.dstack([ramp << 6] * 3))
        file = self.path("in.heic")
        subprocess.run(["heif-enc", "-b", "10", self.path("in.png"), "-o", file], check=True, capture_output=True)
        subprocess.run(["heif-convert", file, self.path("ref.png")], check=True, capture_output=True)
        # heif-convert shifts 10 bits to 16.
        levels = cv2.imread(self.path("ref.png"), cv2.IMREAD_UNCHANGED).astype(numpy.uint32) >> 6
        found = cv2.imread(self.through(file), cv2.IMREAD_UNCHANGED)
        numpy.testing.assert_array_equal(found, (levels * 65535 + 511) // 1023)

    def test_no_cut_file_is_read(self):
        self.image(64, 64, "RGB").save(self.path("in.png"))
        subprocess.run(["heif-enc", self.path("in.png"), "-o", self.path("in.heic")], check=True, capture_output=True)
        with open(self.path("in.heic"), "rb") as file:
            whole = file.read()
        for _ in range(15):
            with open(self.path("cut.heic"), "wb") as file:
                file.write(whole[: int(self.random.integers(0, len(whole)))])
            done = subprocess.run([self.executable, "hist", self.path("cut.heic"), "-"], capture_output=True)
            self.assertEqual(done.returncode, 3, done.stderr)


if __name__ == "__main__":
    if not features.check("webp"):
        print("SKIPPED: Pillow is built without WebP")
        sys.exit(gpuimg_run.SKIPPED)
    gpuimg_run.main()
