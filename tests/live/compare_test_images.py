#!/usr/bin/env python3
"""Compares gpuimg with independent readers on the test images of other projects.

usage: compare_test_images.py GPUIMG FOLDER...
       compare_test_images.py --sound GPUIMG FOLDER...    for files whose pixels have been checked: skips prefixes, and
                                                          files that gpuimg rejects or no other reader reads

tests/live/debian_test_images fetches such folders. Each image file is read by gpuimg, and then by Pillow, OpenCV, tifffile,
psd-tools, LittleCMS, ImageMagick, heif-convert and tiff2rgba, if they are installed and know the format, until one gives
the same pixels. Only ImageMagick is required, because it alone reads some kinds as their formats define: gray PNG with a
transparent level, 16-bit TIFF with premultiplied alpha, and BMP of 5 and 6 bits. LittleCMS converts CIELab TIFF, and may
differ by LAB_TOLERANCE. For small files of each format, some prefixes are read twice, and must be rejected or give the
same pixels twice. One line per file names the reader that agrees, or the reason of a rejection. The exit code is 1 if a
difference has no explanation.
"""
import collections
import fnmatch
import functools
import hashlib
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import warnings

import numpy

EXTENSIONS = {"avif", "bmp", "dib", "gif", "heic", "heif", "hif", "jfif", "jpeg", "jpg", "jpe", "pam", "pbm", "pgm", "png", "pnm",
           "ppm", "psb", "psd", "tga", "tif", "tiff", "webp", "apng"}
MAX_PREFIXED = 4096  # maximum size in bytes of a file whose prefixes are read
SECONDS = 60
LAB_TOLERANCE = 1  # of 255, because LittleCMS rounds the numbers of the profile in its own way
MEMORY = 8 << 30  # limit for readers that allocate whatever a header declares
warnings.simplefilter("ignore")


def canonical(pixels):
    """16-bit RGBA, from an array (h, w) or (h, w, 1 to 4) of bool, 8 or 16 bits."""
    pixels = numpy.asarray(pixels)
    if pixels.dtype == bool:
        pixels = pixels.astype(numpy.uint8) * 255
    if pixels.dtype == numpy.uint8:
        pixels = pixels.astype(numpy.uint16) * 257
    if pixels.dtype != numpy.uint16 or pixels.ndim not in (2, 3):
        return None
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    colors = pixels[:, :, :1].repeat(3, 2) if pixels.shape[2] < 3 else pixels[:, :, :3]
    alpha = pixels[:, :, -1:] if pixels.shape[2] in (2, 4) else numpy.full_like(pixels[:, :, :1], 65535)
    return numpy.concatenate([colors, alpha], 2)


def read_pnm(content):
    """The pixels of P5, P6 and P7 as gpuimg and ImageMagick write them."""
    if content.startswith(b"P7"):
        head, body = content.split(b"ENDHDR\n", 1)
        fields = dict(line.split(None, 1) for line in head.decode().splitlines()[1:] if not line.startswith("#"))
        width, height, top, channels = (int(fields[name]) for name in ("WIDTH", "HEIGHT", "MAXVAL", "DEPTH"))
    else:
        head = re.match(rb"(P[56])\s(\d+)\s(\d+)\s(\d+)\s", content)
        width, height, top = map(int, head.groups()[1:])
        channels, body = 3 if head[1] == b"P6" else 1, content[head.end():]
    sample = numpy.dtype(">u2") if top > 255 else numpy.dtype("u1")
    return numpy.frombuffer(body, sample).reshape(height, width, channels).astype(sample.newbyteorder("="))


class Gpuimg:
    def __init__(self, executable):
        self.executable = executable

    def run(self, file, *options):
        command = [self.executable, "equalize", "--strength", "0", "--format", "pam", *options, file, "-"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=10 * SECONDS)
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")

    def pixels(self, file, *options):
        """(pixels, messages), or (None, error)."""
        code, out, said = self.run(file, *options)
        said = " | ".join(line.split(": ", 1)[-1] for line in said.splitlines())
        if code not in (0, 3):
            raise SystemExit(f"{file}: gpuimg ended with {code}: {said}")
        return (canonical(read_pnm(out)) if code == 0 else None), said


def read_with_pillow(file):
    from PIL import Image
    Image.MAX_IMAGE_PIXELS = None
    with Image.open(file) as image:
        image.load()
        if image.mode in ("I;16", "I;16B", "I;16L"):
            return numpy.asarray(image).astype(numpy.uint16)
        if image.mode == "I" and image.format in ("PNG", "PPM"):
            return numpy.asarray(image).astype(numpy.uint16)
        if image.mode in ("F", "I", "LAB", "HSV"):
            return None
        if image.mode == "P":
            image = image.convert("RGBA")
        elif "transparency" in image.info and image.mode in ("1", "L", "RGB"):
            image = image.convert("RGBA")
        elif image.mode in ("CMYK", "YCbCr"):
            image = image.convert("RGB")
        elif image.mode == "1":
            image = image.convert("L")
        elif image.mode == "RGBX":
            image = image.convert("RGB")
        return numpy.asarray(image)


def read_with_opencv(file):
    import cv2
    pixels = cv2.imread(file, cv2.IMREAD_UNCHANGED)
    if pixels is None:
        return None
    return pixels if pixels.ndim == 2 else pixels[:, :, [2, 1, 0, 3][:pixels.shape[2]]]


def read_with_tifffile(file):
    import tifffile
    with tifffile.TiffFile(file) as tiff:
        page = tiff.pages[0]
        pixels = page.asarray()
        if page.planarconfig == 2 and pixels.ndim == 3:
            pixels = numpy.moveaxis(pixels, 0, 2)
        bits = page.bitspersample
        if pixels.dtype in (numpy.uint8, numpy.uint16) and bits not in (8, 16):
            top, full = 2**bits - 1, 255 if bits < 8 else 65535
            if page.photometric != 3:
                pixels = ((pixels.astype(numpy.uint32) * full * 2 + top) // (2 * top)).astype(pixels.dtype)
        if page.photometric == 0:
            pixels = numpy.iinfo(pixels.dtype).max - pixels if pixels.dtype != bool else ~pixels
        elif page.photometric == 3:
            pixels = numpy.moveaxis((page.colormap >> 8).astype(numpy.uint8)[:, pixels], 0, 2)
        elif page.photometric not in (1, 2):
            return None
        return divided_by_alpha(pixels) if 1 in page.extrasamples[:1] else pixels


def divided_by_alpha(pixels):
    """Unpremultiplies colors: tifffile returns them as stored, multiplied by alpha."""
    full = int(numpy.iinfo(pixels.dtype).max)
    colors, alpha = numpy.split(pixels.astype(numpy.int64), [-1], 2)
    colors = (2 * full * colors + alpha) // numpy.maximum(2 * alpha, 1) * (alpha > 0)
    return numpy.concatenate([numpy.minimum(colors, full), alpha], 2).astype(pixels.dtype)


def read_with_psd_tools(file):
    import psd_tools
    image = psd_tools.PSDImage.open(file)
    pixels = image.numpy()
    if image.depth not in (8, 16) or pixels is None:
        return None
    top = 2**image.depth - 1
    return numpy.rint(pixels * top).astype(numpy.uint8 if image.depth == 8 else numpy.uint16)


def output_of(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    return done.stdout if done.returncode == 0 else b""


@functools.cache
def imagemagick():
    """The command of ImageMagick 7 or 6. Other programs can have these names, too."""
    for name in ("magick", "convert"):
        if shutil.which(name) and output_of(name, "-version").startswith(b"Version: ImageMagick"):
            return name
    raise SystemExit("compare_test_images: ImageMagick is not installed; install it: apt-get install imagemagick")


def read_with_imagemagick(file):
    out = output_of(imagemagick(), file + "[0]", "-depth", "16", "pam:-")
    return read_pnm(out) if out.startswith(b"P7") else None


def read_with_littlecms(file):
    """An 8-bit CIELab TIFF in sRGB, relative to each white point, computed per pixel and not from a table."""
    from PIL import Image, ImageCms
    with Image.open(file) as image:
        if image.mode != "LAB":
            return None
        profiles = ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB")
        transform = ImageCms.buildTransform(*profiles, "LAB", "RGB", ImageCms.INTENT_RELATIVE_COLORIMETRIC,
                                            ImageCms.FLAGS["NOTPRECALC"])
        return numpy.asarray(ImageCms.applyTransform(image, transform))


def through_a_png(*command):
    """The pixels of the PNG that a program writes; OUT in its arguments becomes the path."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "out.png")
        output_of(*[name if word == "OUT" else word for word in command])
        first = name.replace("out", "out-1")  # the first of several images
        return next((read_with_opencv(path) for path in (name, first) if os.path.exists(path)), None)


def read_with_heif_convert(file):
    return through_a_png("heif-convert", file, "OUT")


def read_reference(file):
    """The picture that BMP Suite supplies for a file, or an equivalent file in a simpler format."""
    return read_with_pillow(os.path.join(os.path.dirname(file), "..", REFERENCES[os.path.basename(file)]))


def read_with_dwebp(file):
    return through_a_png("dwebp", "-quiet", file, "-o", "OUT")


def read_with_netpbm(maximum):
    def read(file):
        out = output_of("pamdepth", maximum, file)
        return read_pnm(out) if out[:2] in (b"P5", b"P6", b"P7") else None
    return read


def read_with_tiff2rgba(file):
    import tifffile
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "out.tif")
        output_of("tiff2rgba", "-c", "none", file, name)
        return tifffile.imread(name) if os.path.exists(name) else None


def is_module(name):
    try:
        __import__(name)
        return True
    except ImportError:
        return False


def readers_of(file, extension):
    """(name, function) of the installed readers, the fastest first."""
    wanted = [("Pillow", read_with_pillow, is_module("PIL")), ("OpenCV", read_with_opencv, is_module("cv2"))]
    if extension in ("tif", "tiff"):
        wanted.append(("tifffile", read_with_tifffile, is_module("tifffile")))
        wanted.append(("LittleCMS", read_with_littlecms, is_module("PIL.ImageCms")))
        wanted.append(("tiff2rgba", read_with_tiff2rgba, shutil.which("tiff2rgba")))
    if extension in ("psd", "psb"):
        wanted.insert(0, ("psd-tools", read_with_psd_tools, is_module("psd_tools")))
    if extension in ("heic", "heif", "hif", "avif"):
        wanted = [("heif-convert", read_with_heif_convert, shutil.which("heif-convert"))]
    if extension == "webp":
        wanted.append(("dwebp", read_with_dwebp, shutil.which("dwebp")))
    if extension in ("pnm", "pgm", "ppm", "pam"):
        wanted += [("netpbm", read_with_netpbm(maximum), shutil.which("pamdepth")) for maximum in ("255", "65535")]
    if os.path.basename(file) in REFERENCES:
        wanted.append(("BMP Suite's picture", read_reference, True))
    wanted.append(("ImageMagick", read_with_imagemagick, imagemagick()))
    return [(name, function) for name, function, is_there in wanted if is_there]


def read_by(function, file):
    """The reader's pixels, or None if it fails in any way."""
    try:
        pixels = function(file)
        return None if pixels is None else canonical(pixels)
    except Exception:  # noqa: BLE001
        return None


def compared(found, other, tolerance=0):
    """'same', 'same where it can be seen', or a description of the difference. The tolerance is in 1/255 of a color."""
    if found.shape != other.shape:
        return f"{other.shape[1]}x{other.shape[0]} instead of {found.shape[1]}x{found.shape[0]}"
    if numpy.array_equal(found, other):
        return "same"
    is_seen = (found[:, :, 3:] != 0) | (other[:, :, 3:] != 0)
    off = numpy.abs(found.astype(int) - other) * is_seen
    if not off.any():
        return "same where it can be seen"
    if tolerance and not off[:, :, 3].any() and off.max() <= 257 * tolerance:
        return f"same within {off.max() / 257:.2g} of 255"
    is_of_same_bytes = off.max() <= 128 or (found >> 8 == other >> 8).all()
    if not (other % 257).any() and is_of_same_bytes:
        return "same in the 8 bits that it keeps"
    if not (found % 257).any() and is_of_same_bytes:
        return "same in the 8 bits that gpuimg makes of it"
    if not off[:, :, 3].any() and (off[:, :, :3].max() <= 257 * 8) and off.max() % 257 == 0:
        return f"colors differ by up to {off.max() // 257} of 255 in {int(off.any(2).sum())} pixels"
    return f"{int(off.any(2).sum())} pixels differ, by up to {off.max()} of 65535"


class Comparison:
    def __init__(self, executable, only_sound):
        self.gpuimg = Gpuimg(executable)
        self.only_sound = only_sound
        self.counts = collections.Counter()
        self.unexplained = []
        self.prefixes = 0
        self.seen = set()

    def add(self, file):
        with open(file, "rb") as content:
            digest = hashlib.sha256(content.read()).digest()
        if digest in self.seen:
            return
        self.seen.add(digest)
        extension = file.rsplit(".", 1)[1].lower()
        found, said = self.gpuimg.pixels(file, "--no-auto-orient")
        is_lenient = found is None and "--lenient" in said
        if is_lenient:
            found, said = self.gpuimg.pixels(file, "--no-auto-orient", "--lenient")
        if found is None and self.only_sound:
            return
        differences = []
        agreeing = None
        others = []
        for name, function in readers_of(file, extension):
            other = read_by(function, file)
            if other is None:
                continue
            others.append(name)
            if found is None:
                break
            result = compared(found, other, LAB_TOLERANCE if name == "LittleCMS" else 0)
            if not result.startswith("same"):
                turned, _ = self.gpuimg.pixels(file, *["--lenient"] * is_lenient)
                result = min(result, compared(turned, other), key=lambda words: not words.startswith("same"))
            if result.startswith("same"):
                agreeing = name + result.replace("same", "", 1)
                break
            differences.append(f"{name}: {result}")
        if agreeing and is_lenient:
            agreeing += " with --lenient, else rejected"
        self.tell(file, extension, found, said, agreeing, differences, others)
        if os.path.getsize(file) <= MAX_PREFIXED and not self.only_sound:
            self.add_prefixes(file)

    def tell(self, file, extension, found, said, agreeing, differences, others):
        name = os.path.basename(file)
        why = next((words for pattern, words in EXPLANATIONS.items() if fnmatch.fnmatch(name, pattern)), "")
        if extension in ("bmp", "tga") and any("by up to 1 of 255" in difference for difference in differences):
            why = why or "5 and 6 bits become 8 by repetition, elsewhere by division: docs/operations.md"
        if agreeing:
            verdict = f"same as {agreeing}"
        elif found is None and not others:
            verdict = "rejected, as by all others"
        elif found is None and "not supported" in said:
            verdict = "rejected by name"
        elif found is None:
            verdict = f"rejected, but {others[0]} reads it"
        elif not others:
            verdict = "read, by nobody else"
        else:
            verdict = "DIFFERS"
        is_fine = verdict.startswith(("same", "rejected, as", "rejected by name")) or (self.only_sound and not others)
        self.counts[extension, verdict] += 1
        if not is_fine:
            verdict += f" ({why})" if why else " WITHOUT AN EXPLANATION"
            if not why:
                self.unexplained.append(file)
        details = "; ".join(differences if not agreeing else []) + (f" [{said}]" if said and not agreeing else "")
        print(f"{file}: {verdict}{': ' if details else ''}{details}", flush=True)

    def add_prefixes(self, file):
        """Sixteen prefixes: each must be rejected, or give the same pixels twice."""
        with open(file, "rb") as content:
            whole = content.read()
        for i in range(16):
            with tempfile.NamedTemporaryFile(suffix="." + file.rsplit(".", 1)[1]) as cut:
                cut.write(whole[:len(whole) * i // 16])
                cut.flush()
                first = self.gpuimg.run(cut.name)
                self.prefixes += 1
                if first[0] not in (0, 3) or (first[0] == 0 and first != self.gpuimg.run(cut.name)):
                    self.unexplained.append(f"{file}, the first {i} sixteenths")


REFERENCES = {
    "badpalettesize.bmp": "g/pal8.bmp",
    "pal2.bmp": "html/pal2.png",
    "pal8oversizepal.bmp": "g/pal8.bmp",
    "rgb16-231.bmp": "html/rgb16-231.png",
    "rgba16-4444.bmp": "html/rgba16-4444.png",
    "rgba32abf.bmp": "html/rgba32.png",
}

# Explanations by file name or pattern. gpuimg rejects damaged files where others guess: docs/reliability.md.
FILLED_FAX = "its fax data is damaged; libtiff fills the rows"
TRUNCATED = "its data ends early; others fill the rows"
UNCOVERED = "pixels that the first frame leaves uncovered are transparent; Pillow paints them"
OUTSIDE_THE_PALETTE = "indices that its palette lacks"
EXPLANATIONS = {
    "clipboard.dib": "it has no file header, only Pillow reads such, by the name",
    "crash-0da013a13571cc8eb457a39fee8db18f8a3c7127.tif": FILLED_FAX,
    "crash-2020-10-test.tif": TRUNCATED,
    "crash-63b1dffefc8c075ddc606c0a2f5fdc15ece78863.tif": TRUNCATED,
    "crash-74d2a78403a5a59db1fb0a2b8735ac068a75f6e3.tif": FILLED_FAX,
    "bmp_masks_*": "OpenCV reads BGR whatever the masks say, Pillow drops an alpha of one bit",
    "bmp_runs_*": "Pillow misreads an odd number of literal indices, and jumps",
    "gif_codes_of_1_bit.gif": "others read codes of one bit in various ways",
    "gif_frame_beyond_its_screen.gif": UNCOVERED,
    "gif_frame_smaller_than_the_screen.gif": UNCOVERED,
    "gif_frame_smaller_than_the_screen_with_background.gif": UNCOVERED,
    "heif_alpha_*": "heif-convert loses alpha that is turned or cropped unlike its image, and its video range",
    "heif_gray_*": "heif-convert does not expand gray of video range, and shifts 12 bits to 16",
    "heif_*_before_its_size.avif": "libheif takes the size behind the transformations for that of the result",
    "heif_sequence.avif": "ImageMagick alone reads it, and leaves it in YCbCr",
    "heif_with_metadata.avif": "ImageMagick alone reads it, and is one level off",
    "heif_of_10_bits.heic": "heif-convert shifts 10 bits to 16; compare_webp.py compares them exactly",
    "pnm_color_text_to_100_ending_in_a_digit.ppm": "halves are rounded up, as by netpbm; Pillow rounds to even",
    "tga_*": "Pillow and ImageMagick differ from each other: ImageMagick leaves rows as they are stored, Pillow misreads "
             "maps of 15 bits, both take the reserved byte for alpha",
    "tiff_0_of_12_bits_*": "others do not invert 12 bits; inverted, their values are these",
    "tiff_cielab_of_16_bits.tif": "Pillow has no CIELab of 16 bits for LittleCMS; libtiff does not adapt its white",
    "tiff_cmyk_of_16_bits.tif": "Pillow converts the upper 8 bits alone",
    "tiff_color_map_of_*": "its color map has a wrong length; libtiff ignores it",
    "tiff_ycbcr_of_16_bits*": "ImageMagick leaves it in YCbCr",
    "tiff_*too_short.tif": "others read the bytes behind a strip as its pixels",
    "tiff_strip_at_0.tif": "others read the header as pixels",
    "webp_frame_on_a_canvas.webp": UNCOVERED,
    "badcrc.png": "the checksum of its image data is wrong",
    "huge_IDAT.png": TRUNCATED,
    "badrle.bmp": "a jump leaves the image; others go on at its edge",
    "mmap_error.bmp": OUTSIDE_THE_PALETTE,
    "pal8_offset.bmp": OUTSIDE_THE_PALETTE,
    "pal8badindex.bmp": OUTSIDE_THE_PALETTE,
    "no_palette.gif": "it has no color table; others invent one",
    "tiff_overflow_rows_per_strip.tif": "its strip has fewer bytes than its rows; tiff2rgba writes black",
}


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    only_sound = "--sound" in sys.argv[1:2]
    executable, *given = sys.argv[1 + only_sound:]
    imagemagick()
    comparison = Comparison(os.path.abspath(executable), only_sound)
    for folder in given:
        for path, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                if "." in name and name.rsplit(".", 1)[1].lower() in EXTENSIONS:
                    comparison.add(os.path.join(path, name))
    print()
    for (extension, verdict), count in sorted(comparison.counts.items()):
        print(f"{count:5} {extension:5} {verdict}")
    print(f"{sum(comparison.counts.values())} different files, {comparison.prefixes} prefixes, "
          f"{len(comparison.unexplained)} differences without an explanation")
    for name in comparison.unexplained:
        print("unexplained:", name)
    sys.exit(1 if comparison.unexplained else 0)


if __name__ == "__main__":
    main()
