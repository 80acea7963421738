"""Compares the host twin of the device's PNG decoder with libpng, on files of other encoders.

Pillow, OpenCV and gpuimg always write some of the files. optipng, pngcrush, zopflipng, advpng and oxipng (the program, or
the module pyoxipng) write files if they are installed; missing ones are named. Each run uses new pictures, levels and
strategies.

If GPUIMG_TEST_PHOTOS names a folder of PNG and JPEG photographs (subfolders included), a second test makes 200 PNG files
of them with the fast encoders: each photograph unchanged, and parts and rescaled copies that the seed selects.
GPUIMG_TEST_PNG_TWIN is gpuimg_tests_codecs, which runs the twin.
"""
import importlib
import os
import shutil
import subprocess

import gpuimg_run

numpy, cv2 = gpuimg_run.require("numpy", "cv2")
Image = gpuimg_run.require("PIL.Image")

TWIN = os.environ.get("GPUIMG_TEST_PNG_TWIN")
FILES_OF_AN_ENCODER = 40
PHOTOS = 200
PROCESSES = 2


def picture(generator, most):
    """Noise, few levels, or a smooth picture with noise; 1 to 4 channels of 8 or 16 bits, in OpenCV's channel order."""
    channels = int(generator.choice([1, 3, 4]))
    height, width = (int(n) for n in generator.integers(most // 3, most, 2))
    kind = numpy.uint8 if generator.integers(0, 3) else numpy.uint16
    top = numpy.iinfo(kind).max
    style = generator.integers(0, 3)
    if style == 0:
        pixels = generator.integers(0, top + 1, (height, width, channels))
    elif style == 1:
        pixels = generator.integers(0, 4, (height, width, channels)) * (top // 3)
    else:
        y, x = numpy.mgrid[0:height, 0:width]
        smooth = (numpy.sin(x / 17)[..., None] * numpy.cos(y / 23)[..., None] * 0.4 + 0.5) * top
        pixels = smooth + generator.normal(0, top / 100, (height, width, channels))
    return numpy.clip(pixels, 0, top).astype(kind)


def by_opencv(generator, pixels, path):
    level, strategy = int(generator.integers(0, 10)), int(generator.integers(0, 5))
    parameters = [cv2.IMWRITE_PNG_COMPRESSION, level, cv2.IMWRITE_PNG_STRATEGY, strategy]
    assert cv2.imwrite(path, pixels, parameters)


def stored_by_opencv(_, pixels, path):
    """Without compression, for zopflipng: its version 1.0.3 rejects one in hundreds of valid compressed streams."""
    assert cv2.imwrite(path, pixels, [cv2.IMWRITE_PNG_COMPRESSION, 0])


def by_pillow(generator, pixels, path):
    deep = pixels.dtype == numpy.uint16
    if deep:  # Pillow writes 16 bits only as gray
        pixels = pixels[..., :1]
    channels = pixels.shape[2]
    if channels > 1:
        pixels = pixels[..., [2, 1, 0, 3][:channels]]
    if channels == 4 and generator.integers(0, 2):
        pixels, channels = pixels[..., 2:], 2
    image = Image.fromarray(numpy.ascontiguousarray(pixels[..., 0] if channels == 1 else pixels),
                            {1: "I;16" if deep else "L", 2: "LA", 3: "RGB", 4: "RGBA"}[channels])
    if generator.integers(0, 2):
        image.save(path, compress_level=int(generator.integers(0, 10)), compress_type=int(generator.integers(0, 5)))
    else:
        image.save(path, optimize=True)


def run(*command):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stdout, done.stderr)


def by_program(name, options_of, write_source):
    """An encoder that recodes the file that `write_source` writes."""
    def encode(generator, pixels, path):
        write_source(generator, pixels, path + ".in.png")
        run(name, *options_of(generator, path + ".in.png", path))
        os.remove(path + ".in.png")
    return encode


def by_module_oxipng(oxipng):
    def encode(generator, pixels, path):
        by_opencv(generator, pixels, path)
        with open(path, "rb") as file:
            data = file.read()
        keep = {name: False for name in ("bit_depth_reduction", "color_type_reduction", "palette_reduction",
                                         "grayscale_reduction")}
        with open(path, "wb") as file:
            file.write(oxipng.optimize_from_memory(data, level=int(generator.integers(0, 5)), force=True, **keep))
    return encode


def optipng_options(generator, source, path):
    return ["-quiet", "-force", "-nx", "-zc", generator.integers(1, 10), "-zm", generator.integers(2, 10),
            "-zs", generator.integers(0, 4), "-f", generator.integers(0, 6),
            "-zw", generator.choice(["32k", "32k", "32k", "8k"]), "-out", path, source]


def pngcrush_options(generator, source, path):
    return ["-q", "-noreduce", "-force", "-l", generator.integers(1, 10), "-f", generator.integers(0, 6), "-z",
            generator.integers(0, 4), "-m", "0", source, path]


def zopflipng_options(generator, source, path):
    return ["-y", "--iterations=1", f"--filters={generator.choice(list('01234me'))}", source, path]


def oxipng_options(generator, source, path):
    return ["--quiet", "--force", "--nx", "-o", generator.integers(0, 5), "--out", path, source]


def encoders(gpuimg):
    """By name: a function of (generator, pixels, path), or None if the encoder is not installed."""
    def by_advpng(generator, pixels, path):
        by_opencv(generator, pixels, path)
        run("advpng", "-q", "-z", f"-{generator.integers(1, 4)}", path)

    def by_gpuimg(generator, pixels, path):
        by_opencv(generator, pixels, path + ".in.png")
        run(gpuimg, "convert", "-q", "-f", "--png-level", generator.integers(0, 4), path + ".in.png", path)
        os.remove(path + ".in.png")

    found = {"OpenCV": by_opencv, "Pillow": by_pillow, "gpuimg": by_gpuimg}
    for name, options, write_source in (("optipng", optipng_options, by_opencv),
                                        ("pngcrush", pngcrush_options, by_opencv),
                                        ("zopflipng", zopflipng_options, stored_by_opencv),
                                        ("oxipng", oxipng_options, by_opencv)):
        found[name] = by_program(name, options, write_source) if shutil.which(name) else None
    found["advpng"] = by_advpng if shutil.which("advpng") else None
    if found["oxipng"] is None:
        try:
            found["oxipng"] = by_module_oxipng(importlib.import_module("oxipng"))
        except ImportError:
            pass
    return found


class Twin(gpuimg_run.Comparison):
    def setUp(self):
        super().setUp()
        for process in range(PROCESSES):
            os.mkdir(self.path(str(process)))
        self.files = 0

    def next_path(self, name):
        self.files += 1
        return self.path(f"{self.files % PROCESSES}/{self.files}-{name}.png")

    def run_twin(self):
        """The number of files that the twin decodes, each to libpng's pixels."""
        command = [TWIN, "--gtest_also_run_disabled_tests", "--gtest_filter=*AgreesOnTheFilesOfAFolder"]
        running = [subprocess.Popen(command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT,
                                    env=dict(os.environ, GPUIMG_TEST_PNG_FOLDER=self.path(str(process))))
                   for process in range(PROCESSES)]
        taken = files = 0
        for process in running:
            said = process.communicate()[0]
            self.assertEqual(process.returncode, 0, said)
            for line in said.splitlines():
                if line.startswith("left to libpng: "):
                    print("  " + line.replace(self.path(""), ""), flush=True)
                elif line.endswith(" files by the twin"):
                    taken, files = taken + int(line.split()[0]), files + int(line.split()[2])
        self.assertEqual(files, self.files)
        return taken

    def test_encoders(self):
        generator = numpy.random.default_rng([gpuimg_run.seed(), 1])
        found = encoders(self.executable)
        for name in [name for name, encode in found.items() if encode is None]:
            print(f"  skipped: {name} is not installed", flush=True)
        for name, encode in found.items():
            for _ in range(FILES_OF_AN_ENCODER if encode else 0):
                encode(generator, picture(generator, 200 if name == "zopflipng" else 300), self.next_path(name))
        taken = self.run_twin()
        names = ", ".join(name for name in found if found[name])
        print(f"  {self.files} files of {names}: {taken} by the twin", flush=True)
        self.assertGreater(taken, self.files / 2)

    def test_photographs(self):
        folder = os.environ.get("GPUIMG_TEST_PHOTOS")
        if not folder:
            self.skipTest("GPUIMG_TEST_PHOTOS names no folder")
        generator = numpy.random.default_rng([gpuimg_run.seed(), 2])
        photos = sorted({os.path.realpath(os.path.join(where, name)) for where, _, names in os.walk(folder)
                         for name in names if name.lower().endswith((".png", ".jpg", ".jpeg"))})
        quick = [encode for name, encode in encoders(self.executable).items() if name in ("OpenCV", "Pillow", "gpuimg")]
        for index in range(PHOTOS):
            photo = photos[index % len(photos)]
            path = self.next_path(os.path.splitext(os.path.basename(photo))[0])
            if index < len(photos) and photo.endswith(".png"):
                shutil.copyfile(photo, path)
                continue
            pixels = cv2.imread(photo, cv2.IMREAD_UNCHANGED)
            pixels = pixels if pixels.ndim == 3 else pixels[..., None]
            if index >= len(photos):
                pixels = self.part_or_size(generator, pixels)
            quick[int(generator.integers(0, len(quick)))](generator, pixels, path)
        taken = self.run_twin()
        print(f"  {self.files} files of {len(photos)} photographs: {taken} by the twin", flush=True)
        self.assertGreater(taken, 0.9 * self.files)

    @staticmethod
    def part_or_size(generator, pixels):
        """A part of a quarter to all of each side, or the whole picture rescaled to such a size."""
        sides = [max(1, int(side * generator.uniform(0.25, 1))) for side in pixels.shape[:2]]
        if generator.integers(0, 2):
            size = (sides[1], max(1, pixels.shape[0] * sides[1] // pixels.shape[1]))
            smaller = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
            return smaller if smaller.ndim == 3 else smaller[..., None]
        top, left = (int(generator.integers(0, all_of - side + 1)) for all_of, side in zip(pixels.shape, sides))
        return pixels[top:top + sides[0], left:left + sides[1]]


if __name__ == "__main__":
    if not TWIN:
        print("SKIPPED: GPUIMG_TEST_PNG_TWIN does not name gpuimg_tests_codecs")
        raise SystemExit(gpuimg_run.SKIPPED)
    gpuimg_run.main()
