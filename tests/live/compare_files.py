"""Compares files that gpuimg reads and writes with Pillow and OpenCV: pixels, bit depth, orientation, round trips."""
import os

import gpuimg_run

numpy, cv2 = gpuimg_run.require("numpy", "cv2")
Image, ImageOps = gpuimg_run.require("PIL.Image", "PIL.ImageOps")

SIZES = [(1, 1), (17, 15), (64, 1), (131, 77)]


class Files(gpuimg_run.Comparison):
    def through(self, file, out="out.png", *options):
        """Converts the file with gpuimg without changing pixels, and returns the new path."""
        self.gpuimg("equalize", "--strength", "0", "--force", file, self.path(out), *options)
        return self.path(out)

    def pillow_pixels(self, file):
        with Image.open(file) as image:
            return numpy.asarray(image)

    def photo(self, generator, width, height):
        """An image that is smoother than noise, because JPEG is made for such images."""
        small = generator.integers(0, 256, (height // 8 + 2, width // 8 + 2, 3)).astype(numpy.uint8)
        return Image.fromarray(small).resize((width, height), Image.BICUBIC)

    def test_jpeg_is_decoded_like_pillow(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        for width, height in SIZES:
            photo = self.photo(generator, width, height)
            for mode in ("RGB", "L"):
                for subsampling in (0, 1, 2):
                    for progressive in (False, True):
                        file = self.path("in.jpg")
                        photo.convert(mode).save(file, quality=83, subsampling=subsampling, progressive=progressive)
                        found = self.pillow_pixels(self.through(file))
                        numpy.testing.assert_array_equal(found, self.pillow_pixels(file))

    def test_cmyk_jpeg_is_decoded_like_pillow_and_opencv(self):
        """With and without an Adobe segment: all readers interpret the samples as the light that passes the inks."""
        generator = numpy.random.default_rng(gpuimg_run.seed())
        small = Image.fromarray(generator.integers(0, 256, (9, 12, 4)).astype(numpy.uint8), "CMYK")
        small.resize((80, 60), Image.BICUBIC).save(self.path("in.jpg"), quality=95)
        with open(self.path("in.jpg"), "rb") as file:
            content = file.read()
        segment = content.index(b"\xff\xee")
        end = segment + 2 + int.from_bytes(content[segment + 2:segment + 4], "big")
        for bytes_of_file in (content, content[:segment] + content[end:]):
            with open(self.path("in.jpg"), "wb") as file:
                file.write(bytes_of_file)
            self.gpuimg("equalize", "-q", "--strength", "0", "--force", self.path("in.jpg"), self.path("out.png"))
            found = self.pillow_pixels(self.path("out.png"))
            with Image.open(self.path("in.jpg")) as image:
                numpy.testing.assert_array_equal(found, numpy.asarray(image.convert("RGB")))
            opencv = cv2.imread(self.path("in.jpg"))[:, :, ::-1]  # OpenCV's formula rounds twice
            self.assertLessEqual(numpy.abs(found.astype(int) - opencv).max(), 2)

    def test_png_of_every_mode_is_decoded_like_pillow(self):
        for mode, channels in (("L", 1), ("LA", 2), ("RGB", 3), ("RGBA", 4)):
            for pixels in gpuimg_run.random_images(numpy, channels, sizes=SIZES):
                Image.fromarray(pixels, mode).save(self.path("in.png"))
                numpy.testing.assert_array_equal(self.pillow_pixels(self.through(self.path("in.png"))), pixels)

    def test_palettes_and_low_bit_depths_are_expanded(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        noise = Image.fromarray(generator.integers(0, 256, (33, 47, 3)).astype(numpy.uint8))
        for colors in (2, 4, 16, 256):
            noise.quantize(colors).save(self.path("in.png"))
            expected = noise.quantize(colors).convert("RGB")
            numpy.testing.assert_array_equal(self.pillow_pixels(self.through(self.path("in.png"))), numpy.asarray(expected))
        noise.convert("1").save(self.path("in.png"))
        expected = noise.convert("1").convert("L")
        numpy.testing.assert_array_equal(self.pillow_pixels(self.through(self.path("in.png"))), numpy.asarray(expected))

    def test_sixteen_bits_stay_sixteen_bits(self):
        for channels in (1, 3, 4):
            for pixels in gpuimg_run.random_images(numpy, channels, depth=16, sizes=SIZES):
                self.assertTrue(cv2.imwrite(self.path("in.png"), pixels))
                found = cv2.imread(self.through(self.path("in.png")), cv2.IMREAD_UNCHANGED)
                self.assertEqual(found.dtype, numpy.uint16)
                numpy.testing.assert_array_equal(found, pixels)

    def test_bmp_tga_gif_and_pnm_are_decoded_like_pillow(self):
        for pixels in gpuimg_run.random_images(numpy, 3, sizes=SIZES):
            for name in ("in.bmp", "in.tga", "in.ppm"):
                Image.fromarray(pixels).save(self.path(name))
                numpy.testing.assert_array_equal(self.pillow_pixels(self.through(self.path(name))), pixels)
            gray = numpy.ascontiguousarray(pixels[:, :, 0])
            Image.fromarray(gray).save(self.path("in.pgm"))
            numpy.testing.assert_array_equal(self.pillow_pixels(self.through(self.path("in.pgm"))), gray)
            Image.fromarray(pixels).quantize(32).save(self.path("in.gif"))
            with Image.open(self.path("in.gif")) as image:
                expected = numpy.asarray(image.convert("RGB"))
            numpy.testing.assert_array_equal(self.pillow_pixels(self.through(self.path("in.gif"))), expected)

    def test_written_formats_read_back(self):
        for mode, channels in (("L", 1), ("LA", 2), ("RGB", 3), ("RGBA", 4)):
            for pixels in gpuimg_run.random_images(numpy, channels, sizes=[(61, 43)]):
                Image.fromarray(pixels, mode).save(self.path("in.png"))
                for name in ("out.png", "out.tga", "out.bmp"):
                    if name == "out.bmp" and mode == "LA":
                        continue
                    with Image.open(self.through(self.path("in.png"), name)) as image:
                        numpy.testing.assert_array_equal(numpy.asarray(image.convert(mode)), pixels)

    def test_written_jpeg_is_near(self):
        photo = self.photo(numpy.random.default_rng(gpuimg_run.seed()), 203, 117)
        for mode in ("RGB", "L"):
            photo.convert(mode).save(self.path("in.png"))
            sizes = []
            for quality in (30, 90, 100):
                with Image.open(self.through(self.path("in.png"), "out.jpg", "--quality", quality)) as image:
                    self.assertEqual((image.format, image.mode, image.size), ("JPEG", mode, photo.size))
                    off = numpy.abs(numpy.asarray(image).astype(int) - numpy.asarray(photo.convert(mode)))
                self.assertLess(off.mean(), 12 if quality == 30 else 4)
                sizes.append(os.path.getsize(self.path("out.jpg")))
            self.assertEqual(sizes, sorted(sizes))

    def test_orientation_is_applied_like_pillow(self):
        photo = self.photo(numpy.random.default_rng(gpuimg_run.seed()), 43, 29)
        for orientation in range(0, 10):
            exif = Image.Exif()
            exif[0x0112] = orientation
            for name in ("in.jpg", "in.png"):
                photo.save(self.path(name), exif=exif)
                with Image.open(self.path(name)) as image:
                    expected = numpy.asarray(ImageOps.exif_transpose(image))
                numpy.testing.assert_array_equal(
                    self.pillow_pixels(self.through(self.path(name))), expected, f"orientation {orientation} of {name}")

    def test_samples_are_unchanged(self):
        for file in self.sample_files():
            found = cv2.imread(self.through(file), cv2.IMREAD_UNCHANGED)
            numpy.testing.assert_array_equal(found, cv2.imread(file, cv2.IMREAD_UNCHANGED))


gpuimg_run.main()
