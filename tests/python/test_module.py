#!/usr/bin/env python3
"""Compares the Python module with the executable and NumPy, and with Pillow and tifffile if they are installed.

usage: test_module.py GPUIMG WRITE_CATALOGUE SAMPLES DOCS [unittest arguments]   with the package in PYTHONPATH
"""
import contextlib
import gc
import importlib.util
import inspect
import json
import logging
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

import gpuimg
from gpuimg import _methods

GPUIMG, WRITE_CATALOGUE, SAMPLES, DOCS = sys.argv[1:5]
SAMPLES = pathlib.Path(SAMPLES)
NIGHT, LOGO, RADIOGRAPH = SAMPLES / "night.png", SAMPLES / "logo.png", SAMPLES / "radiograph.png"


def tool(*words, ok=(0,)):
    """Runs the executable; returns its standard output."""
    done = subprocess.run([GPUIMG, *map(str, words)], capture_output=True, text=True)
    assert done.returncode in ok, (words, done.returncode, done.stderr)
    return done.stdout


def pattern(height, width, channels=3, dtype=np.uint8):
    values = np.arange(height * width * channels, dtype=np.uint64) * 2654435761 >> 7
    pixels = values.astype(dtype).reshape(height, width, channels)
    return pixels[:, :, 0] if channels == 1 else pixels


def tilted_page(degrees):
    """Lines of words, rotated clockwise."""
    y, x = np.mgrid[0:600, 0:500] - 250
    angle = np.radians(degrees)
    along, down = (x * np.cos(angle) + y * np.sin(angle)).astype(int), (y * np.cos(angle) - x * np.sin(angle)).astype(int)
    is_ink = (down % 24 < 9) & (along // 9 % 6 != 5) & ((along * 7 + down // 24 * 5) % 11 < 6)
    return np.where(is_ink & (abs(along) < 180) & (abs(down) < 220), 30, 230).astype(np.uint8)


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gpuimg-python.")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def by_the_tool(self, image, *words):
        """The pixels that the executable computes for an image."""
        source, result = self.folder / "in.png", self.folder / "out.png"
        image.write(source, force=True, png_level=0)
        at = words.index("--then") if "--then" in words else len(words)
        tool(*words[:at], "--backend", "cpu", "--force", "--png-level", 0, source, result, *words[at:])
        return np.asarray(gpuimg.read(result))


class Catalogue(InAFolder):
    """All files of the catalogue, valid and broken."""

    def setUp(self):
        super().setUp()
        self.files = self.folder / "catalogue"
        self.files.mkdir()
        printed = subprocess.run([WRITE_CATALOGUE, self.files], capture_output=True, text=True, check=True).stdout
        self.verdicts = dict(line.split("\t") for line in printed.splitlines())

    def test_pixels_match_the_executable(self):
        arrays = self.folder / "arrays"
        arrays.mkdir()
        tool("convert", "--backend", "cpu", "--quiet", "--include", "*", "--format", "npy", self.files, f"{arrays}/", ok=(1,))
        compared, has_heif = 0, "libheif is not installed" not in tool("version")  # libheif is loaded at run time
        for item in gpuimg.read_many(sorted(self.files.iterdir())):
            name = os.path.basename(item.path)
            expected = arrays / (os.path.splitext(name)[0] + ".npy")
            if self.verdicts[name] == "good" and expected.exists() and not name.endswith(".npy"):
                self.assertIsNone(item.error, name)
                np.testing.assert_array_equal(np.asarray(item.image), np.load(expected), name)
                compared += 1
            elif self.verdicts[name] != "good":
                says_damage = self.verdicts[name] == "damaged" and (has_heif or not name.endswith((".heic", ".avif")))
                self.assertEqual(item.error.kind, "decode" if says_damage else "unsupported", name)
        self.assertGreater(compared, 0.95 * sum(verdict == "good" for verdict in self.verdicts.values()) - 20)

    def test_pixels_match_pillow_and_tifffile(self):
        readers = other_readers()
        if not readers:
            self.skipTest("neither Pillow nor tifffile is installed")
        equal = {key: 0 for key in LEAST_EQUAL if key[0] in readers}
        for name, verdict in self.verdicts.items():
            extension = name.rsplit(".", 1)[-1]
            for who, read in readers.items():
                if verdict != "good" or (who, extension) not in equal or READ_DIFFERENTLY.match(name):
                    continue
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        theirs = read(self.files / name)
                except Exception:  # they cannot read every valid file
                    continue
                ours = np.asarray(gpuimg.read(self.files / name))
                if ours.shape == theirs.shape and ours.dtype == theirs.dtype:
                    np.testing.assert_array_equal(visible(ours), visible(theirs), f"{name}, by {who}")
                    equal[who, extension] += 1
        for key, count in equal.items():
            self.assertGreaterEqual(count, LEAST_EQUAL[key], key)


def other_readers():
    readers = {}
    if importlib.util.find_spec("PIL"):
        from PIL import Image, ImageOps

        def pillow(path):
            with Image.open(path) as file:
                image = ImageOps.exif_transpose(file)
                if image.mode == "P":
                    image = image.convert("RGBA" if "transparency" in image.info else "RGB")
                return np.asarray(image)
        readers["Pillow"] = pillow
    if importlib.util.find_spec("tifffile"):
        import tifffile
        logging.disable()
        readers["tifffile"] = lambda path: tifffile.imread(path, key=0)
    return readers


def visible(pixels):
    """The pixels, with the colors of transparent pixels set to 0."""
    if pixels.ndim == 3 and pixels.shape[2] in (2, 4):
        pixels = np.where(pixels[..., -1:] > 0, pixels, 0)
    return pixels


# Files that other readers interpret differently. They do not round or scale levels of 5, 6 and 12 bits, nor levels with
# a maximum other than 255; do not invert images in which 0 is white; do not convert some colors or divide them by
# alpha; do not invert 1-bit alpha; and do not fill missing blocks with 0. They read GIF codes of 1 bit in various
# ways. Pillow 9 misreads jumps in the runs of a BMP, runs of 4 bits, and palettes of 15 bits.
READ_DIFFERENTLY = re.compile(r"gif_codes_of_1_bit|bmp_(masks_5\d5|alpha_mask|runs_4|.*_jump)|pnm_color.*_to_100|"
                            r"tga_(color16_with_alpha|map15)|"
                            r"tiff_(0_of|\d_of_12_bits|.*premultiplied|cielab|ycbcr|sparse)")
# The minimum number of equal files, with the oldest tested versions of the readers. For all other files, shapes or
# types differ, for example because 1 bit is a bool.
LEAST_EQUAL = {("Pillow", "png"): 100, ("Pillow", "jpg"): 80, ("Pillow", "bmp"): 60, ("Pillow", "gif"): 50,
               ("Pillow", "pgm"): 10, ("Pillow", "ppm"): 5, ("Pillow", "tga"): 30, ("Pillow", "tif"): 40,
               ("Pillow", "webp"): 8, ("tifffile", "tif"): 30}


class Arrays(InAFolder):
    def test_every_format_round_trips(self):
        for dtype in (np.uint8, np.uint16):
            for channels in (1, 2, 3, 4):
                pixels = pattern(7, 5, channels, dtype)
                image = gpuimg.from_array(pixels)
                self.assertEqual((image.shape, image.dtype), (pixels.shape, pixels.dtype))
                np.testing.assert_array_equal(np.asarray(image), pixels)
                np.testing.assert_array_equal(np.from_dlpack(image), pixels)
                np.testing.assert_array_equal(np.asarray(memoryview(image)), pixels)

    def test_strides_are_respected(self):
        pixels = pattern(9, 8, 4)
        for view in (pixels[::2], pixels[:, ::-1], pixels[::-1, 1::3, :3], pixels[:, :, ::-1], pixels[:, :, 1],
                     np.asfortranarray(pixels), pixels.transpose(1, 0, 2)):
            np.testing.assert_array_equal(np.asarray(gpuimg.from_array(view)), view)

    def test_arrays_share_memory_and_outlive_the_image(self):
        image = gpuimg.read(NIGHT)
        first, second = np.asarray(image), np.from_dlpack(image)
        self.assertEqual(first.__array_interface__["data"][0], second.__array_interface__["data"][0])
        self.assertEqual(image.__dlpack_device__(), (1, 0))
        self.assertFalse(first.flags.writeable)
        before = first.copy()
        del image
        gc.collect()
        others = [gpuimg.read(NIGHT).flip("horizontal") for _ in range(3)]
        np.testing.assert_array_equal(first, before)
        np.testing.assert_array_equal(second, before)
        del others

    def test_numpy_protocol(self):
        image = gpuimg.from_array(pattern(4, 4))
        self.assertEqual(np.asarray(image, dtype=np.float32).dtype, np.float32)
        self.assertTrue(np.array(image).flags.writeable)
        with self.assertRaises(AttributeError):
            image.__cuda_array_interface__
        with self.assertRaises(BufferError):
            image.__dlpack__(dl_device=(2, 0), max_version=(1, 0))

    def test_unsupported_arrays_are_rejected(self):
        for bad in (np.zeros((2, 2), np.float32), np.zeros((2, 2, 5), np.uint8), np.zeros(4, np.uint8),
                    np.zeros((0, 2), np.uint8), "text", 5):
            with self.assertRaises(gpuimg.Error) as caught:
                gpuimg.from_array(bad)
            self.assertEqual(caught.exception.kind, "unsupported")
        with self.assertRaisesRegex(gpuimg.Error, "byte order"):
            gpuimg.from_array(pattern(4, 4, 1, np.uint16).astype(">u2"))
        with self.assertRaisesRegex(gpuimg.Error, "uint8 or uint16"):
            gpuimg.from_array(np.zeros((2, 2), np.float32))

    def test_arrays_stay_on_the_host_by_default(self):
        pixels = pattern(4, 4)
        self.assertEqual(gpuimg.from_array(pixels).device, "cpu")
        self.assertEqual(gpuimg.from_array(gpuimg.from_array(pixels), device="cpu").device, "cpu")
        image = gpuimg.from_array(pixels)
        self.assertEqual(np.from_dlpack(image).ctypes.data, np.asarray(image).ctypes.data)
        if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
            self.assertEqual(np.array(image, copy=False).ctypes.data, np.asarray(image).ctypes.data)
            with self.assertRaises(ValueError):
                np.array(image, dtype=np.float32, copy=False)


class Operations(InAFolder):
    def test_results_match_the_executable(self):
        image = gpuimg.read(NIGHT)
        cases = [
            (image.equalize(), "equalize"),
            (image.equalize(color="rgb", strength=0.5), "equalize", "--color", "rgb", "--strength", "0.5"),
            (image.equalize(clahe=True, tiles=(4, 3)), "equalize", "--clahe", "--tiles", "4x3"),
            (image.resize((100, None)), "resize", "--size", "100x"),
            (image.resize("50%", filter="lanczos"), "resize", "--size", "50%", "--filter", "lanczos"),
            (image.resize(size=(64, 64), fit="cover"), "resize", "--size", "64x64", "--fit", "cover"),
            (image.crop((10, 20, 30, 40)), "crop", "--box", "10,20,30,40"),
            (image.rotate(90), "rotate", "90"),
            (image.flip("vertical"), "flip", "vertical"),
            (image.integral(mean=5), "integral", "--mean", "5"),
            (image.hsl(hue=30.0, saturation=1.5), "hsl", "--hue", "30", "--saturation", "1.5"),
            (image.denoise(), "denoise"),
            (image.threshold(method="sauvola", window=15), "threshold", "--method", "sauvola", "--window", "15"),
            (image.equalize(mask=NIGHT), "equalize", "--mask", NIGHT),
        ]
        for result, *words in cases:
            with self.subTest(words=words):
                np.testing.assert_array_equal(np.asarray(result), self.by_the_tool(image, *words))
        np.testing.assert_array_equal(np.asarray(image), np.asarray(gpuimg.read(NIGHT)))

    def test_chains_match_single_steps(self):
        image = gpuimg.read(NIGHT)
        words = "resize --size 50% --then equalize --clahe --then flip horizontal"
        chain = gpuimg.chain(words)
        self.assertIn("resize --size 50%", chain.text)
        expected = image.resize("50%").equalize(clahe=True).flip("horizontal")
        np.testing.assert_array_equal(np.asarray(chain(image)), np.asarray(expected))
        np.testing.assert_array_equal(np.asarray(chain(image)), self.by_the_tool(image, *words.split()))

    def test_results_of_steps(self):
        page = gpuimg.from_array(tilted_page(3))
        self.assertEqual(page.found, {})
        scan = self.folder / "scan.png"
        page.write(scan)
        printed = json.loads(tool("deskew", "--backend", "cpu", "--json", scan, self.folder / "straight.png"))
        straight = page.deskew()
        self.assertIsInstance(printed["angle"], float)
        self.assertEqual(straight.found, {"angle": printed["angle"]})
        straight.write(scan, force=True)
        printed = json.loads(tool("threshold", "--backend", "cpu", "--json", scan, self.folder / "black.png"))
        letter = straight.threshold()
        self.assertEqual(letter.found, {**straight.found, "threshold": printed["threshold"]})
        self.assertEqual(letter.despeckle().flip("vertical").to("cpu").found, letter.found)
        self.assertEqual(straight.found, gpuimg.chain("deskew")(page).found)
        classes = next(gpuimg.read_many([NIGHT], then="threshold --classes 3")).image
        self.assertEqual(len(classes.found["thresholds"]), 2)
        self.assertLess(*classes.found["thresholds"])
        self.assertEqual(gpuimg.from_array(np.full((64, 64), 255, np.uint8)).deskew().found, {})

    def test_counts(self):
        for path in (NIGHT, LOGO, RADIOGRAPH):
            image = gpuimg.read(path)
            for options in ({}, {"channel": "rgb"}, {"channel": "r", "bins": 16}, {"normalize": True}):
                if image.channels < 3 and "channel" in options:
                    continue
                with self.subTest(path=path, options=options):
                    words = [f"--{name}" + ("" if value is True else f"={value}") for name, value in options.items()]
                    text = tool("hist", "--backend", "cpu", "--format", "csv", *words, path)
                    rows = [line.split(",") for line in text.splitlines() if re.match(r"\d", line)]
                    columns = image.hist(**options).reshape(-1, len(rows))
                    for i, column in enumerate(columns):
                        expected = [float(row[i - len(columns)]) for row in rows]
                        np.testing.assert_array_equal(column.astype(float), expected)
        self.assertEqual(gpuimg.read(NIGHT).histogram_report()["histograms"][0]["channel"], "luma")

    def test_tables_and_hsl(self):
        image = gpuimg.read(NIGHT)
        for array, *words in ((image.integral(), "integral"), (image.integral(layout="inclusive", type="f64"), "integral", "--layout", "inclusive", "--type", "f64"),
                              (image.integral(deviation=5), "integral", "--deviation", "5"), (image.hsl(), "hsl")):
            with self.subTest(words=words):
                tool(*words, "--backend", "cpu", "--force", NIGHT, self.folder / "table.npy")
                expected = np.load(self.folder / "table.npy")
                self.assertEqual(array.dtype, expected.dtype)
                np.testing.assert_array_equal(array, expected)

    def test_mistakes_give_the_executables_message(self):
        image = gpuimg.read(NIGHT)
        for act, words in ((lambda: image.equalize(color="purple"), ("equalize", "--color=purple")),
                           (lambda: image.resize("0x5"), ("resize", "--size=0x5")),
                           (lambda: image.resize(), ("resize",)),
                           (lambda: image.rotate(45), ("rotate", "45")),
                           (lambda: image.equalize(strength=2), ("equalize", "--strength=2")),
                           (lambda: image.denoise(patch=4), ("denoise", "--patch=4"))):
            with self.subTest(words=words):
                done = subprocess.run([GPUIMG, *words, NIGHT, self.folder / "o.png"], capture_output=True, text=True)
                with self.assertRaises(gpuimg.Error) as caught:
                    act()
                self.assertEqual(caught.exception.kind, "usage")
                line = done.stderr.strip().removeprefix("gpuimg: error: ")
                self.assertIn(line, (str(caught.exception), str(caught.exception).removeprefix(words[0] + ": ")))
        with self.assertRaises(TypeError):
            image.equalize(no_such_option=1)
        with self.assertRaises(gpuimg.Error):
            gpuimg.chain("hist")
        with self.assertRaises(gpuimg.Error):
            gpuimg.chain("equalize --depth 8")
        with self.assertRaises(gpuimg.Error):
            gpuimg.chain("equalize --lut lut.csv")

    def test_names_and_defaults_match_help(self):
        for command in _methods.OPERATIONS:
            text = tool(command["name"], "--help")
            method = getattr(gpuimg.Image, command["name"])
            for name, option in _methods.options_of(command).items():
                self.assertIn("--" + option["name"], text)
                self.assertIn(name, inspect.signature(method).parameters)
                if option["default"]:
                    self.assertIn(f"{name}: ", method.__doc__)
                    self.assertIn(option["default"].split()[0].rstrip(",;"), text)
            own = text.split("Output:")[0].split("Many images")[0]
            named = {found.replace("-", "_") for found in re.findall(r"^ +(?:-\w, )?--([a-z-]+)", own, re.MULTILINE)}
            missing = named - set(inspect.signature(method).parameters) - {"help", "format"}
            missing -= {name.replace("-", "_") for name in _methods.LEFT_OUT.get(command["name"], ())} | set(_methods.WRITING)
            self.assertEqual(missing, set(), command["name"])

    def test_stubs_name_every_method(self):
        stubs = _methods.stubs()
        compile(stubs, "__init__.pyi", "exec")
        installed = pathlib.Path(gpuimg.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
        self.assertEqual(stubs, installed)
        self.assertTrue(pathlib.Path(gpuimg.__file__).with_name("py.typed").exists())
        for name in gpuimg.__all__:
            self.assertRegex(stubs, rf"(def|class) {name}\b|{name}:")
        for name in [name for name in dir(gpuimg.Image) if not name.startswith("_")]:
            self.assertRegex(stubs, rf"def {name}\(")


class Files(InAFolder):
    def test_results_match_the_executable(self):
        for name, options, words in (("a.jpg", {"quality": 80}, ("--quality", 80)), ("a.png", {"png_level": 2}, ("--png-level", 2)),
                                     ("b.jpg", {"subsampling": "444"}, ("--subsampling", 444)), ("a.bmp", {}, ())):
            expected = self.folder / ("tool-" + name)
            tool("convert", "--backend", "cpu", *words, NIGHT, expected)
            image = gpuimg.read(NIGHT)
            image.write(self.folder / name, **options)
            self.assertEqual((self.folder / name).read_bytes(), expected.read_bytes())
            self.assertEqual(image.encode(name[-3:], **options), expected.read_bytes())

    def test_conversions_and_metadata(self):
        image = gpuimg.read(LOGO)
        self.assertEqual(image.channels, 4)
        data = image.encode("jpg", background="white", quality=70)
        self.assertEqual(gpuimg.read(data).channels, 3)
        self.assertEqual(gpuimg.read(image.encode("png", depth=16)).bits, 16)
        self.assertEqual(gpuimg.read(data).metadata["format"], "JPEG")
        self.assertEqual(sorted(image.metadata), ["density", "exif", "format", "icc", "iptc", "pages", "text", "xmp"])
        upright = gpuimg.from_array(pattern(10, 20)).encode("jpg")
        exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
        turned = upright[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + upright[2:]
        self.assertEqual(gpuimg.read(turned).shape, (20, 10, 3))
        self.assertEqual(gpuimg.read(turned, auto_orient=False).shape, (10, 20, 3))
        carried = gpuimg.read(gpuimg.read(turned, auto_orient=False).encode("jpg"))
        self.assertEqual(carried.shape, (20, 10, 3))  # the EXIF data still have the old size

    def test_errors(self):
        image = gpuimg.read(NIGHT)
        for kind, act in (("read", lambda: gpuimg.read(self.folder / "none.png")), ("decode", lambda: gpuimg.read(b"not an image")),
                          ("decode", lambda: gpuimg.read(NIGHT.read_bytes()[:1000])), ("usage", lambda: gpuimg.read(NIGHT, page=7)),
                          ("unsupported", lambda: gpuimg.read(NIGHT, max_pixels=100)), ("usage", lambda: image.write(self.folder / "a.xyz")),
                          ("usage", lambda: image.encode("jpg", quality=101)), ("usage", lambda: gpuimg.read(NIGHT, device="tpu")),
                          ("usage", lambda: gpuimg.read(LOGO).encode("jpg"))):
            with self.assertRaises(gpuimg.Error) as caught:
                act()
            self.assertEqual(caught.exception.kind, kind, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))
        path = self.folder / "a.png"
        path.write_bytes(b"mine")
        with self.assertRaises(gpuimg.Error) as caught:
            image.write(path)
        self.assertEqual((caught.exception.kind, path.read_bytes()), ("write", b"mine"))
        image.write(path, force=True)
        self.assertEqual(os.listdir(self.folder), ["a.png"])

    def test_a_missing_device_is_reported(self):
        try:
            gpuimg.read(NIGHT, device="cuda")
        except gpuimg.Error as error:
            self.assertEqual(error.kind, "backend_unavailable")
        else:
            self.skipTest("there is a device")

    def test_names_may_be_any_bytes(self):
        path = os.fsencode(self.folder) + b"/\xff\xfe.png"
        gpuimg.read(NIGHT).write(path)
        np.testing.assert_array_equal(np.asarray(gpuimg.read(os.fsdecode(path))), np.asarray(gpuimg.read(NIGHT)))


class ManyFiles(InAFolder):
    def test_images_and_errors_arrive_in_order(self):
        paths = []
        for i in range(40):
            paths.append(self.folder / f"{i}.png")
            if i % 10 == 4:
                paths[-1].write_text("not an image")
            else:
                gpuimg.from_array(pattern(20, i + 1)).write(paths[-1])
        for options in ({}, {"workers": 1}, {"workers": 5, "max_memory": 1}):
            items = list(gpuimg.read_many(paths, **options))
            self.assertEqual([item.index for item in items], list(range(40)))
            for i, item in enumerate(items):
                self.assertEqual(item.path, str(paths[i]))
                self.assertEqual(item.error is not None, i % 10 == 4)
                if item.error:
                    self.assertEqual(item.error.kind, "decode")
                else:
                    np.testing.assert_array_equal(np.asarray(item.image), pattern(20, i + 1))

    def test_steps_and_an_early_end(self):
        for item in gpuimg.read_many([NIGHT] * 5, then="resize --size 10x10 --fit stretch"):
            self.assertEqual(item.image.shape, (10, 10, 3))
        for item in gpuimg.read_many([NIGHT] * 1000):
            break
        self.assertEqual(item.index, 0)
        item = next(gpuimg.read_many([NIGHT], then=gpuimg.chain("crop --box 0,0,9999,9999")))
        self.assertEqual(item.error.kind, "usage")

    def test_results_larger_than_files_count_as_memory(self):
        path, limit, result = self.folder / "a.png", 100 << 20, 4000 * 3000 * 3
        gpuimg.from_array(pattern(40, 30)).write(path)
        items = gpuimg.read_many([path] * 12, workers=6, max_memory=limit,
                                 then="resize --size 4000x3000 --fit stretch --filter nearest --enlarge")
        before, most = resident_bytes(), 0
        self.assertEqual(next(items).image.shape, (3000, 4000, 3))
        for _ in range(40):  # the other images are read ahead meanwhile
            time.sleep(0.02)
            most = max(most, resident_bytes() - before)
        items.close()
        self.assertLess(most, limit + 4 * result, "12 results of 36 MB were made at once")

    def test_python_threads_run_in_parallel(self):
        image, results = gpuimg.read(NIGHT), []
        threads = [threading.Thread(target=lambda: results.append(np.asarray(image.equalize().resize("30%"))))
                   for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            np.testing.assert_array_equal(result, results[0])
        ticks, done = 0, threading.Event()
        worker = threading.Thread(target=lambda: (image.resize("400%", enlarge=True).denoise(search=15), done.set()))
        worker.start()
        while not done.is_set():
            time.sleep(0.001)
            ticks += 1
        worker.join()
        self.assertGreater(ticks, 20, "the interpreter was locked while an operation ran")


class Runs(InAFolder):
    def test_the_command_line(self):
        out = self.folder / "out.png"
        self.assertEqual(gpuimg.run(["equalize", "--backend", "cpu", NIGHT, out]).exit_code, 0)
        np.testing.assert_array_equal(np.asarray(gpuimg.read(out)), np.asarray(gpuimg.read(NIGHT).equalize()))
        self.assertEqual(gpuimg.run(["equalize", "--quiet", NIGHT, out]).exit_code, 4)
        self.assertEqual(gpuimg.run(f"resize --size 10x --backend cpu --quiet {SAMPLES}/ {self.folder}/small/").exit_code, 0)
        self.assertGreater(len(os.listdir(self.folder / "small")), 3)

    def test_counts_and_failures(self):
        photos = self.folder / "photos"
        photos.mkdir()
        for name in "abc":
            gpuimg.from_array(pattern(20, 10)).write(photos / f"{name}.png")
        (photos / "bad.png").write_text("not an image")
        (photos / "cut.png").write_bytes((photos / "a.png").read_bytes()[:200])
        words = ["equalize", "--backend", "cpu", "--quiet", f"{photos}/", f"{self.folder}/out/"]
        result = gpuimg.run(words)
        self.assertEqual(result[:4], (1, 3, 2, 0))
        self.assertEqual([failure.path for failure in result.failures], [str(photos / "bad.png"), str(photos / "cut.png")])
        self.assertEqual({failure.kind for failure in result.failures}, {"decode"})
        self.assertIn("cut.png", result.failures[1].message)
        self.assertEqual(gpuimg.run([*words, "--skip-existing"])[:4], (1, 0, 2, 3))
        tool("equalize", "--backend", "cpu", photos / "a.png", self.folder / "one.png")
        subprocess.run(["tar", "-cf", self.folder / "in.tar", "-C", photos, "a.png", "bad.png"], check=True)
        archive = gpuimg.run(["hist", "--backend", "cpu", "--quiet", self.folder / "in.tar", self.folder / "out.tar"])
        if archive.exit_code != 3:  # gpuimg was built with libarchive
            self.assertEqual(archive[:4], (1, 1, 1, 0))

    def test_one_file(self):
        out = self.folder / "out.png"
        self.assertEqual(gpuimg.run(["equalize", "--backend", "cpu", NIGHT, out]), (0, 1, 0, 0, []))
        for words, code, kind in ((["equalize", "none.png", self.folder / "b.png"], 3, "read"), (["equalize", "--no-such"], 2, "usage"),
                                  (["equalize", "--quiet", NIGHT, out], 4, "write")):
            result = gpuimg.run(words)
            self.assertEqual((result.exit_code, result.done, result.failed), (code, 0, 1))
            self.assertEqual([(failure.path, failure.kind) for failure in result.failures], [(None, kind)])


# Runs words and sends signals to its own process after some seconds; any thread could receive them.
INTERRUPTED = """
import gpuimg, os, signal, sys, threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
number, handler, times, wait, *words = sys.argv[1:]
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background inherits that it is ignored
if handler == "own":
    signal.signal(int(number), lambda *_: print("handled"))
before = signal.getsignal(signal.SIGINT)
for i in range(int(times)):
    threading.Timer(float(wait) + 0.15 * i, lambda: os.kill(os.getpid(), int(number))).start()
try:
    print("code", gpuimg.run(words).exit_code)
except KeyboardInterrupt:
    print("interrupted")
assert signal.getsignal(signal.SIGINT) is before
assert gpuimg.run(["version"]).exit_code == 0
"""


class Interruption(InAFolder):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        self.photo = self.folder / "photo.png"
        gpuimg.from_array(pattern(1000, 1000)).write(self.photo)
        self.slow = ["denoise", "--backend", "cpu", "--quiet", "--threads", "1", "--search", "31"]

    def interrupted(self, number, *words, handler="default", times=1):
        read, write = os.pipe()  # standard input, which never ends
        try:
            done = subprocess.run([sys.executable, "-c", INTERRUPTED, str(int(number)), handler, str(times), "0.25",
                                   *map(str, words)], stdin=read, capture_output=True, text=True, timeout=120)
        finally:
            os.close(read), os.close(write)
        return done.returncode, done.stdout, done.stderr

    def test_interrupted_batch_leaves_only_complete_files(self):
        photos = self.folder / "photos"
        photos.mkdir()
        for i in range(50):
            os.link(self.photo, photos / f"{i}.png")
        code, printed, errors = self.interrupted(signal.SIGINT, *self.slow, "--jobs", "2", f"{photos}/", f"{self.out}/")
        self.assertEqual((code, printed.split()[0]), (0, "interrupted"), errors)
        written = os.listdir(self.out)
        self.assertLess(len(written), 50)
        for name in written:
            self.assertTrue(re.fullmatch(r"\d+\.png", name))
            gpuimg.read(self.out / name)

    def test_interrupted_single_file_leaves_nothing(self):
        self.out.mkdir()
        code, printed, errors = self.interrupted(signal.SIGINT, *self.slow, self.photo, self.out / "a.png")
        self.assertEqual((code, printed.split()[0], os.listdir(self.out)), (0, "interrupted", []), errors)

    def test_the_programs_handler_runs(self):
        self.out.mkdir()
        code, printed, errors = self.interrupted(signal.SIGINT, *self.slow, self.photo, self.out / "a.png", handler="own")
        self.assertEqual((code, sorted(printed.split()[:3])), (0, ["130", "code", "handled"]), errors)

    def test_a_second_signal_ends_the_process(self):
        photos = self.folder / "photos"
        photos.mkdir()
        for i in range(50):
            os.link(self.photo, photos / f"{i}.png")
        self.out.mkdir()
        slowest = ["denoise", "--backend", "cpu", "--quiet", "--threads", "1", "--search", "61"]
        for words in ([*slowest, "--jobs", "2", f"{photos}/", f"{self.out}/"], [*slowest, self.photo, self.out / "a.png"],
                      ["hist", "-"], ["bench", "--backend", "cpu", "--size", "4000"]):
            with self.subTest(words=words):
                code, printed, errors = self.interrupted(signal.SIGINT, *words, handler="own", times=2)
                self.assertEqual((code, printed), (130, ""), errors)
                self.assertEqual([name for name in os.listdir(self.out) if name.startswith(".")], [])
        self.assertEqual(self.interrupted(signal.SIGTERM, "hist", "-", times=2)[0], 75)

    def test_batch_command_keeps_the_programs_handler(self):
        lines = self.folder / "lines"
        lines.write_text(" ".join(map(str, [*self.slow, self.photo, self.folder / "b.png"])) + "\n")
        code, printed, errors = self.interrupted(signal.SIGINT, "batch", lines)
        self.assertEqual(code, 0, errors)
        self.assertIn("\ninterrupted\n", printed)

    def test_sigterm_ends_the_process(self):
        self.out.mkdir()
        code, printed, errors = self.interrupted(signal.SIGTERM, *self.slow, self.photo, self.out / "a.png")
        self.assertEqual((code, printed, os.listdir(self.out)), (-signal.SIGTERM, "", []), errors)


def resident_bytes():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


IS_SANITIZED = "libasan" in pathlib.Path("/proc/self/maps").read_text()


@contextlib.contextmanager
def silent():
    """Suppresses what gpuimg prints in this process."""
    saved, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved), os.close(nothing)


class Memory(InAFolder):
    def test_ten_thousand_reads_leak_nothing(self):
        small = gpuimg.from_array(pattern(64, 64)).encode("png")
        path, bad = self.folder / "a.jpg", self.folder / "bad.png"
        gpuimg.from_array(pattern(64, 64)).write(path)
        bad.write_bytes(small[:-30])
        chain = gpuimg.chain("resize --size 50% --then equalize")
        curve = []
        for i in range(10000):
            image = gpuimg.read(path if i % 2 else small)
            if i % 10 == 0:
                np.asarray(image), np.from_dlpack(image), memoryview(image)
                chain(image.equalize()).encode("png", png_level=0)
                image.hist()
                with self.assertRaises(gpuimg.Error):
                    gpuimg.read(small[:-30])
            if i % 100 == 0:
                self.use_files(image, path, bad, chain)
            if i % 1000 == 999:
                gc.collect()
                curve.append(resident_bytes())
        if not IS_SANITIZED:  # the sanitizer keeps freed memory
            self.assertLess(curve[9] - curve[1], 3 << 20, f"resident bytes after each thousand: {curve}")

    def use_files(self, image, path, bad, chain):
        image.write(self.folder / "b.png", force=True)
        with self.assertRaises(gpuimg.Error):
            image.write(self.folder / "b.png")
        items = list(gpuimg.read_many([path, bad, path], workers=2, then=chain))
        self.assertEqual([item.error is None for item in items], [True, False, True])
        with silent():
            result = gpuimg.run(["equalize", "--backend", "cpu", path, bad, f"{self.folder}/out/", "--force"])
            self.assertEqual(result[:3], (1, 1, 1))
            self.assertEqual(gpuimg.run("equalize --no-such").exit_code, 2)


class Documentation(InAFolder):
    def test_examples_run(self):
        page = pathlib.Path(DOCS) / "python.md"
        blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        self.assertGreater(len(blocks), 3)
        for name in ("photo.jpg", "a.jpg", "b.jpg"):
            gpuimg.read(NIGHT).write(self.folder / name)
        (self.folder / "photos").mkdir()
        gpuimg.read(NIGHT).write(self.folder / "photos" / "a.jpg")
        code = "\n".join(block for block in blocks if "torch" not in block and "cuda" not in block)
        done = subprocess.run([sys.executable, "-c", code], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
