"""Metadata carried by gpuimg, written and read with Pillow and exiftool: profiles, EXIF data, XMP, IPTC, density and
orientation. Also tests CMYK."""
import io
import json
import shutil
import struct
import subprocess
import unittest
import zlib

import gpuimg_run

numpy, cv2 = gpuimg_run.require("numpy", "cv2")
Image, ImageCms, ImageOps, PngImagePlugin = gpuimg_run.require(
    "PIL.Image", "PIL.ImageCms", "PIL.ImageOps", "PIL.PngImagePlugin")

TYPES = ("png", "jpg")
ORIENTATION, MAKE = 0x0112, 0x010F
XMP_MARK = b"http://ns.adobe.com/xap/1.0/\0"


def with_chunks(png, chunks):
    """The bytes of a PNG with chunks inserted after its header."""
    made = b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks)
    return png[:33] + made + png[33:]


def chunks_of(png):
    """The chunks as pairs of name and data."""
    chunks, offset = [], 8
    while offset < len(png):
        (size,) = struct.unpack_from(">I", png, offset)
        chunks.append((png[offset + 4 : offset + 8], png[offset + 8 : offset + 8 + size]))
        offset += 12 + size
    return chunks


class Metadata(gpuimg_run.Comparison):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(gpuimg_run.seed())

    def photo(self, mode="RGB", size=(43, 29)):
        shape = (size[1], size[0], {"L": 1, "RGB": 3, "CMYK": 4}[mode])
        return Image.fromarray(self.random.integers(0, 256, shape).astype(numpy.uint8).squeeze(), mode)

    def profile(self, size=0):
        """An sRGB profile padded to `size`, with the size in its header adjusted."""
        profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
        profile += self.random.bytes(max(0, size - len(profile)))
        return struct.pack(">I", len(profile)) + profile[4:]

    def exif(self, orientation):
        exif = Image.Exif()
        exif[ORIENTATION] = orientation
        exif[MAKE] = "A camera"
        return exif

    def through(self, file, out, *options):
        """Converts the file with gpuimg without changing pixels, and opens the new file."""
        self.gpuimg("equalize", "--strength", "0", "--force", file, self.path(out), *options)
        image = Image.open(self.path(out))
        self.addCleanup(image.close)
        image.load()
        return image

    def directions(self):
        return ((source, target) for source in TYPES for target in TYPES)

    def test_profile_and_exif_survive_in_all_directions(self):
        for size in (0, 65519, 65520, 300000):
            profile = self.profile(size)
            for source, target in self.directions():
                self.photo().save(self.path("in." + source), icc_profile=profile, exif=self.exif(1))
                found = self.through(self.path("in." + source), "out." + target)
                self.assertEqual(found.info["icc_profile"], profile, (source, target))
                self.assertEqual(dict(found.getexif()), {ORIENTATION: 1, MAKE: "A camera"}, (source, target))

    def test_density_survives_in_all_directions(self):
        for dpi in ((72, 72), (300, 150), (1, 1200)):
            for source, target in self.directions():
                self.photo().save(self.path("in." + source), dpi=dpi)
                found = self.through(self.path("in." + source), "out." + target).info["dpi"]
                self.assertEqual((round(found[0]), round(found[1])), dpi, (source, target))

    def test_orientation_is_applied_and_reset(self):
        for orientation in range(1, 9):
            for source, target in self.directions():
                for mode in ("L", "RGB"):
                    photo = self.photo(mode)
                    photo.save(self.path("in." + source), exif=self.exif(orientation), dpi=(100, 200))
                    found = self.through(self.path("in." + source), "out." + target)
                    with Image.open(self.path("in." + source)) as stored:
                        expected = ImageOps.exif_transpose(stored)
                    self.assertEqual(found.size, expected.size)
                    if target == "png":
                        numpy.testing.assert_array_equal(numpy.asarray(found), numpy.asarray(expected))
                    self.assertEqual(found.getexif()[ORIENTATION], 1)
                    dpi = tuple(round(value) for value in found.info["dpi"])
                    self.assertEqual(dpi, (200, 100) if orientation >= 5 else (100, 200))

    def test_orientation_of_sixteen_bits(self):
        for channels in (1, 3, 4):
            shape = (29, 43) if channels == 1 else (29, 43, channels)
            pixels = self.random.integers(0, 65536, shape).astype(numpy.uint16)
            png = cv2.imencode(".png", pixels)[1].tobytes()
            for orientation in range(1, 9):
                exif = self.exif(orientation).tobytes()[6:]
                with open(self.path("in.png"), "wb") as file:
                    file.write(with_chunks(png, [(b"eXIf", exif)]))
                self.through(self.path("in.png"), "out.png")
                found = cv2.imread(self.path("out.png"), cv2.IMREAD_UNCHANGED)
                planes = []
                for plane in [pixels] if channels == 1 else cv2.split(pixels):
                    stored = Image.fromarray(plane)
                    stored.getexif()[ORIENTATION] = orientation
                    planes.append(numpy.asarray(ImageOps.exif_transpose(stored)))
                self.assertEqual(found.dtype, numpy.uint16)
                numpy.testing.assert_array_equal(found, planes[0] if channels == 1 else cv2.merge(planes))

    def test_no_auto_orient_keeps_pixels_and_tag(self):
        for orientation in range(1, 9):
            for source, target in self.directions():
                self.photo().save(self.path("in." + source), exif=self.exif(orientation), dpi=(100, 200))
                found = self.through(self.path("in." + source), "out." + target, "--no-auto-orient")
                with Image.open(self.path("in." + source)) as stored:
                    self.assertEqual(found.size, stored.size)
                    self.assertEqual(found.getexif().tobytes(), stored.getexif().tobytes())
                    if target == "png":
                        numpy.testing.assert_array_equal(numpy.asarray(found), numpy.asarray(stored))

    def test_png_chunks_are_unchanged(self):
        colors = [(b"cICP", bytes([9, 16, 0, 1])), (b"sRGB", b"\1"), (b"gAMA", struct.pack(">I", 45455)),
                  (b"cHRM", struct.pack(">8I", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000)),
                  (b"pHYs", struct.pack(">IIB", 3000, 4000, 0)), (b"eXIf", self.exif(1).tobytes()[6:])]
        stamp = (b"tIME", struct.pack(">HBBBBB", 2020, 1, 2, 3, 4, 5))
        plain = io.BytesIO()
        self.photo().save(plain, "png")
        for expected in (colors, colors[1:]):
            with open(self.path("in.png"), "wb") as file:
                file.write(with_chunks(plain.getvalue(), [stamp, *reversed(expected)]))
            self.through(self.path("in.png"), "out.png")
            with open(self.path("out.png"), "rb") as file:
                found = chunks_of(file.read())
            self.assertEqual([chunk for chunk in found if chunk[0] not in (b"IHDR", b"IDAT", b"IEND")], expected)
        if shutil.which("pngcheck"):  # only the second file, because pngcheck 3.0.3 does not know cICP
            subprocess.run(["pngcheck", "-q", self.path("out.png")], check=True, stdout=subprocess.DEVNULL)

    def test_xmp_survives_in_all_directions(self):
        packet = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><a tiff:Orientation="1">Gr\xc3\xbc\xc3\x9fe</a></x:xmpmeta>'
        for size in (len(packet), 60000):
            xmp = packet.ljust(size)
            for source, target in self.directions():
                info = PngImagePlugin.PngInfo()
                info.add_itxt("XML:com.adobe.xmp", xmp.decode(), zip=size > len(packet))
                self.photo().save(self.path("in." + source), pnginfo=info)
                if source == "jpg":
                    self.add_segment(self.path("in.jpg"), XMP_MARK + xmp)
                found = self.through(self.path("in." + source), "out." + target)
                if target == "jpg":
                    self.assertIn(("APP1", XMP_MARK + xmp), found.applist, source)
                else:
                    self.assertEqual(found.info["XML:com.adobe.xmp"].encode(), xmp, source)

    def add_segment(self, name, content):
        """Inserts an APP1 segment after the SOI of a JPEG."""
        with open(name, "rb") as file:
            jpeg = file.read()
        with open(name, "wb") as file:
            file.write(jpeg[:2] + struct.pack(">HH", 0xFFE1, len(content) + 2) + content + jpeg[2:])

    def exiftool(self, *arguments):
        done = subprocess.run(["exiftool", "-q", "-n", "-overwrite_original", *arguments], capture_output=True, check=True)
        return done.stdout

    @unittest.skipUnless(shutil.which("exiftool"), "exiftool is not installed")
    def test_exiftool_reads_what_it_wrote(self):
        written = {"XMP-dc:Title": "Gr\u00fc\u00dfe", "XMP-dc:Subject": ["one", "two"], "XMP-tiff:Orientation": 6,
                   "IPTC:By-line": "J\u00fcrgen", "IPTC:Keywords": ["alpha", "beta"], "IPTC:CodedCharacterSet": "UTF8"}
        settings = [f"-{tag}={value}" for tag, values in written.items()
                    for value in (values if isinstance(values, list) else [values])]
        for orientation in (1, 6):
            for source, target in self.directions():
                self.photo().save(self.path("in." + source), exif=self.exif(orientation))
                self.exiftool(*settings, self.path("in." + source))
                self.through(self.path("in." + source), "out." + target)
                wanted = [json.loads(self.exiftool("-j", "-G1", "-XMP:all", "-IPTC:all", self.path(name)))[0]
                          for name in ("in." + source, "out." + target)]
                self.assertIn("XMP-dc:Title", wanted[0])
                self.assertIn("IPTC:By-line", wanted[0])
                wanted[0]["XMP-tiff:Orientation"] = 6 if orientation == 1 else 1
                for tags in wanted:
                    del tags["SourceFile"]
                self.assertEqual(wanted[1], wanted[0], (orientation, source, target))

    def test_adjusted_photographs_carry_it_and_strip_drops_it(self):
        profile = self.profile()
        for source, target in self.directions():
            self.photo().save(self.path("in." + source), icc_profile=profile, exif=self.exif(1), dpi=(100, 100))
            self.gpuimg("hsl", "--hue", "20", "--force", self.path("in." + source), self.path("out." + target))
            with Image.open(self.path("out." + target)) as found:
                self.assertEqual(found.info["icc_profile"], profile)
                self.assertEqual(found.getexif()[MAKE], "A camera")
            stripped = self.through(self.path("in." + source), "out." + target, "--strip").info
            self.assertFalse({"icc_profile", "exif", "dpi"} & set(stripped), stripped)

    def test_outputs_that_are_not_photographs_carry_nothing(self):
        self.photo().save(self.path("in.png"), icc_profile=self.profile(), exif=self.exif(1), dpi=(100, 100))
        for arguments in (["hsl"], ["integral"], ["hsl", "--planes"]):
            self.gpuimg(*arguments, "--force", self.path("in.png"), self.path("out.png"))
            with Image.open(self.path("out_h.png" if "--planes" in arguments else "out.png")) as found:
                self.assertFalse({"icc_profile", "exif", "dpi"} & set(found.info), found.info)

    def test_cmyk_is_converted_like_pillow(self):
        for progressive in (False, True):
            self.photo("CMYK", (97, 61)).save(self.path("in.jpg"), quality=95, progressive=progressive)
            self.gpuimg("equalize", "-q", "--strength", "0", "--force", self.path("in.jpg"), self.path("out.png"))
            with Image.open(self.path("in.jpg")) as cmyk, Image.open(self.path("out.png")) as found:
                numpy.testing.assert_array_equal(numpy.asarray(found), numpy.asarray(cmyk.convert("RGB")))

    def test_subsampling_option_is_obeyed(self):
        self.photo().save(self.path("in.png"))
        for name, layout in (("444", (1, 1)), ("422", (2, 1)), ("440", (1, 2)), ("420", (2, 2))):
            found = self.through(self.path("in.png"), "out.jpg", "--subsampling", name)
            self.assertEqual([layer[1:3] for layer in found.layer], [layout, (1, 1), (1, 1)])


gpuimg_run.main()
