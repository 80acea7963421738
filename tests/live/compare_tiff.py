"""Compares TIFF files read and written by gpuimg with tifffile, Pillow, OpenCV, NumPy and libtiff's tiff2rgba."""
import os
import shutil
import struct
import subprocess

import gpuimg_run

numpy, cv2, tifffile = gpuimg_run.require("numpy", "cv2", "tifffile")
Image = gpuimg_run.require("PIL.Image")

WIDTH, HEIGHT = 83, 61


class Tiff(gpuimg_run.Comparison):
    def setUp(self):
        super().setUp()
        if b"libtiff " not in self.gpuimg("--version"):
            self.skipTest("this gpuimg reads no TIFF")
        self.random = numpy.random.default_rng(gpuimg_run.seed())

    def noise(self, *shape, depth=8):
        return self.random.integers(0, 2**depth, shape).astype(numpy.uint8 if depth <= 8 else numpy.uint16)

    def photo(self, mode="RGB"):
        small = Image.fromarray(self.noise(9, 12, 3))
        return small.resize((WIDTH, HEIGHT), Image.BICUBIC).convert(mode)

    def read(self, file, *options):
        """The pixels that gpuimg reads, converted by way of a PNG and OpenCV; RGB order."""
        self.gpuimg("equalize", "-q", "--strength", "0", "--force", file, self.path("read.png"), *options)
        pixels = cv2.imread(self.path("read.png"), cv2.IMREAD_UNCHANGED)
        if pixels.ndim == 3:
            pixels = pixels[:, :, [2, 1, 0, 3][: pixels.shape[2]]]
        return pixels

    def rejected(self, file, words):
        done = subprocess.run([self.executable, "info", file], capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(words, done.stderr)

    def same(self, found, expected, what=""):
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape), what)
        self.assertEqual(int((found != expected).sum()), 0, f"values that differ: {what}")

    def test_every_layout_of_tifffile(self):
        file = self.path("in.tif")
        for depth in (8, 16):
            for channels in (1, 3, 4):
                pixels = self.noise(HEIGHT, WIDTH, channels, depth=depth)
                stored = pixels[:, :, 0] if channels == 1 else pixels
                for order in "<>":
                    for big in (False, True):
                        for layout in ({}, {"rowsperstrip": 7}, {"tile": (32, 16)}, {"compression": "zlib"}):
                            for planar in ("contig", "separate"):
                                if planar == "separate" and channels == 1:
                                    continue
                                given = numpy.moveaxis(pixels, 2, 0) if planar == "separate" else stored
                                tifffile.imwrite(
                                    file, given, photometric="minisblack" if channels == 1 else "rgb",
                                    planarconfig=planar if channels > 1 else None, byteorder=order, bigtiff=big,
                                    extrasamples=["unassalpha"] if channels == 4 else None, **layout)
                                self.same(self.read(file), stored, (depth, channels, order, big, layout, planar))

    def test_every_compression_that_pillow_writes(self):
        file = self.path("in.tif")
        for compression in ("raw", "tiff_lzw", "tiff_adobe_deflate", "tiff_deflate", "packbits", "zstd", "lzma", "webp",
                            "lerc", "tiff_ccitt", "group3", "group4"):
            is_fax = compression in ("tiff_ccitt", "group3", "group4")
            for mode in ("1",) if is_fax else ("1", "L", "RGB", "RGBA", "P", "CMYK"):
                image = self.photo("RGB").quantize(100) if mode == "P" else self.photo(mode)
                try:
                    image.save(file, compression=compression)
                except (OSError, KeyError, RuntimeError):
                    continue  # this libtiff lacks the compression
                with Image.open(file) as written:  # WebP compression is lossy
                    stored = numpy.asarray(written.convert({"1": "L", "P": "RGB"}.get(mode, mode)))
                if compression != "webp":
                    self.same(stored, numpy.asarray(image.convert({"1": "L", "P": "RGB"}.get(mode, mode))))
                if mode == "CMYK":
                    light = 255 - stored.astype(int)
                    stored = ((light[..., :3] * light[..., 3:] * 2 + 255) // 510).astype(numpy.uint8)
                self.same(self.read(file), stored, (compression, mode))

    def test_jpeg_inside_is_decoded_like_pillow(self):
        for mode in ("L", "RGB"):
            self.photo(mode).save(self.path("in.tif"), compression="jpeg", quality=80)
            with Image.open(self.path("in.tif")) as image:
                self.same(self.read(self.path("in.tif")), numpy.asarray(image.convert(mode)), mode)

    def test_white_is_zero(self):
        pixels = self.noise(HEIGHT, WIDTH)
        tifffile.imwrite(self.path("in.tif"), pixels, photometric="miniswhite")
        self.same(self.read(self.path("in.tif")), 255 - pixels)

    def test_associated_alpha_is_divided_out(self):
        pixels = self.noise(HEIGHT, WIDTH, 4)
        pixels[..., :3] = numpy.minimum(pixels[..., :3], pixels[..., 3:])
        tifffile.imwrite(self.path("in.tif"), pixels, photometric="rgb", extrasamples=["assocalpha"])
        alpha = numpy.maximum(pixels[..., 3:].astype(int), 1)
        expected = pixels.copy()
        expected[..., :3] = (pixels[..., :3].astype(int) * 255 * 2 + alpha) // (2 * alpha)
        self.same(self.read(self.path("in.tif")), expected)

    def test_orientation_is_applied(self):
        pixels = numpy.asarray(self.photo())
        turned = [pixels, pixels[:, ::-1], pixels[::-1, ::-1], pixels[::-1], pixels.transpose(1, 0, 2),
                  numpy.rot90(pixels, -1), numpy.rot90(pixels, 2).transpose(1, 0, 2), numpy.rot90(pixels)]
        for orientation, expected in enumerate(turned, 1):
            Image.fromarray(pixels).save(self.path("in.tif"), tiffinfo={274: orientation})
            self.same(self.read(self.path("in.tif")), expected, orientation)

    def test_ycbcr_is_converted_like_libtiff(self):
        if shutil.which("tiff2rgba") is None:
            self.skipTest("tiff2rgba (Debian: libtiff-tools) is not installed")
        stored = numpy.asarray(self.photo().convert("YCbCr"))
        for layout in ({}, {"rowsperstrip": 8}, {"compression": "zlib"}, {"tile": (16, 32)}):
            for subsampling in ((1, 1), (2, 1), (2, 2), (4, 2)):
                across, down = subsampling
                if subsampling == (1, 1):
                    tifffile.imwrite(self.path("in.tif"), stored, photometric="ycbcr", subsampling=(1, 1), **layout)
                elif layout:
                    continue
                else:
                    self.write_subsampled(self.path("in.tif"), stored, across, down)
                subprocess.run(["tiff2rgba", self.path("in.tif"), self.path("rgba.tif")], check=True,
                               capture_output=True)
                expected = tifffile.imread(self.path("rgba.tif"))[..., :3]
                self.same(self.read(self.path("in.tif")), numpy.ascontiguousarray(expected), (layout, subsampling))

    def write_subsampled(self, file, ycbcr, across, down):
        """Writes one uncompressed strip of subsampled blocks."""
        rows, columns = -(-HEIGHT // down), -(-WIDTH // across)
        whole = numpy.pad(ycbcr, ((0, rows * down - HEIGHT), (0, columns * across - WIDTH), (0, 0)), mode="edge")
        luma = whole[..., 0].reshape(rows, down, columns, across).transpose(0, 2, 1, 3).reshape(rows, columns, -1)
        strip = numpy.concatenate([luma, whole[::down, ::across, 1:]], axis=2).tobytes()
        tags = [(256, 4, WIDTH), (257, 4, HEIGHT), (258, 3, 8 + 8 * 65536), (259, 3, 1), (262, 3, 6),
                (273, 4, 8), (277, 3, 3), (278, 4, HEIGHT), (279, 4, len(strip)), (530, 3, across + 65536 * down)]
        directory = struct.pack("<H", len(tags))
        for tag, kind, value in tags:
            count = {258: 3, 530: 2}.get(tag, 1)
            if tag == 258:
                value = 8 + len(strip)  # offset of an array of three numbers
            directory += struct.pack("<HHII", tag, kind, count, value)
        with open(file, "wb") as out:
            out.write(b"II*\0" + struct.pack("<I", 8 + len(strip) + 6) + strip + struct.pack("<HHH", 8, 8, 8))
            out.write(directory + bytes(4))

    def test_wide_samples_are_rejected_by_name(self):
        for kind, words in ((numpy.uint32, "32-bit"), (numpy.float32, "32-bit float"), (numpy.int16, "16-bit signed")):
            tifffile.imwrite(self.path("in.tif"), numpy.zeros((4, 5), kind), photometric="minisblack")
            self.rejected(self.path("in.tif"), words)

    def test_written_images_are_read_by_all(self):
        for depth in (8, 16):
            for channels in (1, 3, 4):
                pixels = self.noise(HEIGHT, WIDTH, channels, depth=depth)
                pixels = pixels[:, :, 0] if channels == 1 else pixels
                self.assertTrue(cv2.imwrite(self.path("in.png"), pixels if channels == 1 else
                                            pixels[:, :, [2, 1, 0, 3][:channels]]))
                self.gpuimg("equalize", "--strength", "0", "--force", self.path("in.png"), self.path("out.tif"))
                with tifffile.TiffFile(self.path("out.tif")) as tiff:
                    self.same(tiff.asarray(), pixels)
                    self.assertEqual((tiff.pages[0].compression, tiff.pages[0].predictor), (8, 2))  # deflate, horizontal
                self.same(self.through_tiffcp(self.path("out.tif")), pixels)
                if channels < 4:  # OpenCV multiplies colors by alpha
                    found = cv2.imread(self.path("out.tif"), cv2.IMREAD_UNCHANGED)
                    self.same(found if channels == 1 else found[:, :, ::-1], pixels)
                if depth == 8 or channels == 1:
                    with Image.open(self.path("out.tif")) as image:
                        numpy.testing.assert_array_equal(numpy.asarray(image), pixels)

    def test_every_compression_written_is_read_by_all(self):
        tags = {"none": 1, "packbits": 32773, "lzw": 5, "deflate": 8}
        for compression, tag in tags.items():
            for depth in (8, 16):
                for channels in (1, 2, 3, 4):
                    pixels = self.noise(HEIGHT, WIDTH, channels, depth=depth)
                    pixels[: HEIGHT // 2] = 7  # gives long runs
                    given = pixels[:, :, 0] if channels == 1 else pixels
                    numpy.save(self.path("in.npy"), given)
                    self.gpuimg("convert", "--force", "--compression", compression, self.path("in.npy"),
                                self.path("out.tif"))
                    with tifffile.TiffFile(self.path("out.tif")) as tiff:
                        self.assertEqual(tiff.pages[0].compression, tag)
                        if compression != "lzw":  # tifffile needs another package for LZW
                            self.same(tiff.asarray(), given, (compression, depth, channels))
                    self.same(self.read(self.path("out.tif")), self.as_read(given), (compression, depth, channels))
                    self.same(self.through_tiffcp(self.path("out.tif")), given, compression)
        for mode in ("L", "RGB"):
            self.photo(mode).save(self.path("in.png"))
            for subsampling in ("444", "420"):
                self.gpuimg("convert", "--force", "--compression", "jpeg", "--quality", "90", "--subsampling",
                            subsampling, self.path("in.png"), self.path("out.tif"))
                with Image.open(self.path("out.tif")) as image:
                    self.assertEqual(image.tag_v2[259], 7)
                    decoded = numpy.asarray(image.convert(mode))
                self.same(self.read(self.path("out.tif")), decoded, mode)
                difference = numpy.abs(decoded.astype(int) - numpy.asarray(self.photo_of("in.png", mode)))
                self.assertLess(difference.mean(), 6 if subsampling == "420" else 3)

    def as_read(self, pixels):
        """Gray with alpha becomes RGBA in the PNG, as OpenCV reads it."""
        return pixels[:, :, [0, 0, 0, 1]] if pixels.ndim == 3 and pixels.shape[2] == 2 else pixels

    def photo_of(self, name, mode):
        with Image.open(self.path(name)) as image:
            return image.convert(mode)

    def test_group4_is_read_by_all_and_as_small_as_that_of_tiffcp(self):
        for width, height in ((WIDTH, HEIGHT), (1, 1), (8, 3), (1701, 997)):
            page = self.random.integers(0, 2, (height // 9 + 1, width // 13 + 1)).repeat(9, 0).repeat(13, 1)
            pixels = (page[:height, :width] * 255).astype(numpy.uint8)
            Image.fromarray(pixels).save(self.path("in.png"))
            for command in (("convert",), ("threshold", "--value", "128")):
                self.gpuimg(*command, "-q", "--force", "--compression", "g4", self.path("in.png"), self.path("out.tif"))
                with Image.open(self.path("out.tif")) as image:
                    self.assertEqual((image.mode, image.tag_v2[259]), ("1", 4))
                    self.same(numpy.asarray(image.convert("L")), pixels, (command, width, height))
                self.same(self.read(self.path("out.tif")), pixels, (command, width, height))
            if shutil.which("tiffcp"):
                subprocess.run(["tiffcp", "-c", "g4", self.path("out.tif"), self.path("copy.tif")], check=True,
                               capture_output=True)
                self.assertLessEqual(os.path.getsize(self.path("out.tif")),
                                     1.05 * os.path.getsize(self.path("copy.tif")) + 64)

    def through_tiffcp(self, file):
        """Copies a file of one or more images with libtiff's own tool."""
        if shutil.which("tiffcp"):
            subprocess.run(["tiffcp", "-c", "none", file, self.path("copy.tif")], check=True, capture_output=True)
            file = self.path("copy.tif")
        return tifffile.imread(file)

    def test_tables_are_exact(self):
        pixels = self.noise(HEIGHT, WIDTH, 3)
        Image.fromarray(pixels).save(self.path("in.png"))
        for kind in ("u32", "f32", "f64"):
            for name in ("out.npy", "out.tif"):
                self.gpuimg("integral", "--force", "--type", kind, self.path("in.png"), self.path(name))
            self.same(tifffile.imread(self.path("out.tif")), numpy.load(self.path("out.npy")), kind)
            self.same(self.through_tiffcp(self.path("out.tif")), numpy.load(self.path("out.npy")), kind)
        for name in ("hsl.npy", "hsl.tif"):
            self.gpuimg("hsl", "--force", self.path("in.png"), self.path(name))
        expected = numpy.load(self.path("hsl.npy"))
        self.same(numpy.moveaxis(tifffile.imread(self.path("hsl.tif")), 0, 2), expected)
        self.same(numpy.moveaxis(self.through_tiffcp(self.path("hsl.tif")), 0, 2), expected)
        read, planes = cv2.imreadmulti(self.path("hsl.tif"), flags=cv2.IMREAD_UNCHANGED)
        self.assertTrue(read)
        self.same(numpy.stack(planes, 2), expected)

    def equalized(self, pixels):
        """Computes the formula `opencv` by definition, for 16 bits."""
        counts = numpy.bincount(pixels.ravel(), minlength=65536)
        sums = counts.cumsum()
        first = counts[pixels.min()]
        scale = numpy.float32(65535) / numpy.float32(pixels.size - first)
        table = numpy.rint((sums - first).astype(numpy.float32) * scale).clip(0, 65535).astype(numpy.uint16)
        return table[pixels]

    def test_a_stack_of_a_microscope_agrees_with_numpy(self):
        """Eight pages of 12-bit data in 16 bits, as ImageJ and OME write them."""
        y, x = numpy.mgrid[:HEIGHT, :WIDTH]
        stack = [(900 + 700 * numpy.sin(x / (5 + page)) * numpy.cos(y / 9) + self.random.poisson(80, x.shape))
                 .clip(0, 4095).astype(numpy.uint16) for page in range(8)]
        for options in ({"imagej": True}, {"ome": True}, {"bigtiff": True, "photometric": "minisblack", "tile": (32, 32)}):
            file = self.path("stack.ome.tif" if "ome" in options else "stack.tif")
            tifffile.imwrite(file, numpy.stack(stack), **options)
            for page in (1, 5, 8):
                pixels = stack[page - 1]
                rows = self.gpuimg("hist", "--page", page, file).decode().split()[1:]
                counts = [int(row.split(",")[1]) for row in rows]
                self.assertEqual(counts, numpy.bincount(pixels.ravel(), minlength=65536).tolist())
                self.gpuimg("equalize", "--force", "--page", page, file, self.path("out.tif"))
                self.same(tifffile.imread(self.path("out.tif")), self.equalized(pixels))
                self.gpuimg("integral", "--force", "--page", page, file, self.path("sums.tif"))
                expected = numpy.pad(pixels.astype(numpy.uint64).cumsum(0).cumsum(1), ((1, 0), (1, 0)))
                self.same(tifffile.imread(self.path("sums.tif")), expected.astype(numpy.uint32))
                self.gpuimg("hsl", "--force", "--page", page, file, self.path("hsl.tif"))
                lightness = (pixels.astype(numpy.float64) / 65535).astype(numpy.float32)
                found = tifffile.imread(self.path("hsl.tif"))
                self.same(found[2], lightness)
                self.assertFalse(found[:2].any())
            self.gpuimg("equalize", "-q", "--force", "--page", "all", file, self.path("pages") + "/")
            name = os.path.basename(file)
            for page, pixels in enumerate(stack, 1):
                written = os.path.join(self.path("pages"), f"{name[:-4]}-{page}.tif")
                self.same(tifffile.imread(written), self.equalized(pixels))

    def test_a_folder_of_mixed_formats(self):
        os.makedirs(self.path("in/deeper"))
        pixels = numpy.asarray(self.photo())
        for name in ("a.png", "b.bmp", "c.tga", "deeper/d.ppm", "deeper/e.tif", "deeper/f.gif"):
            Image.fromarray(pixels).save(self.path("in/" + name))
        tifffile.imwrite(self.path("in/g.tiff"), self.noise(9, 7, depth=16))
        self.photo().save(self.path("in/h.jpg"), quality=90)
        wide = self.noise(11, 13, 3, depth=16)
        self.assertTrue(cv2.imwrite(self.path("in/i.png"), wide))
        others = ["h.jpg", "i.png", "g.tiff"]
        if b"no libwebp" not in self.gpuimg("version"):
            self.photo().save(self.path("in/deeper/j.webp"), quality=80)
            others.append("deeper/j.webp")
        self.gpuimg("equalize", "-q", "-r", "--output-format", "tif", self.path("in"), self.path("out"))
        for name in ("a", "b", "c", "deeper/d", "deeper/e"):
            self.gpuimg("equalize", "--force", self.path("in/a.png"), self.path("one.png"))
            with Image.open(self.path("one.png")) as one:
                self.same(tifffile.imread(self.path(f"out/{name}.tif")), numpy.asarray(one), name)
        self.assertEqual(tifffile.imread(self.path("out/deeper/f.tif")).shape, (HEIGHT, WIDTH, 3))
        self.assertEqual(tifffile.imread(self.path("out/g.tif")).dtype, numpy.uint16)
        for name in others:
            self.gpuimg("equalize", "-q", "--force", self.path("in/" + name), self.path("one.tif"))
            self.same(tifffile.imread(self.path("out/" + os.path.splitext(name)[0] + ".tif")),
                      tifffile.imread(self.path("one.tif")), name)


gpuimg_run.main()
