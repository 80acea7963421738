"""Compares `deskew` with the angles by which Pillow rotated rendered pages, some of them in uneven light, and its
results with the pages before the rotation. GPUIMG_TEST_PAGES is the number of pages (default 200).
Compares `despeckle` with OpenCV's connected components, on random images of all densities. Reads Group 4 pages with Pillow, ImageMagick and libtiff's tools, and compares their sizes with the files of
`tiffcp -c g4`.

The pages use the fonts that fontconfig lists, or Pillow's bitmap font if it lists none.
"""
import glob
import json
import os
import shutil
import subprocess

import gpuimg_run

numpy, cv2 = gpuimg_run.require("numpy", "cv2")
from PIL import Image, ImageDraw, ImageFont

PAGES = int(os.environ.get("GPUIMG_TEST_PAGES", 200))
SPECKS = 40
FAXES = 34
WORDS = ("a page of text that nobody has to read but which has lines and words of many lengths with ascenders Capitals and "
         "descenders jumping quickly 1984 (or so) over 300 pixels or more per line and some, which end early.").split()


class Documents(gpuimg_run.Comparison):
    def font(self, generator, size):
        """A font of about this size, and its line height."""
        files = sorted(glob.glob("/usr/share/fonts/truetype/*/*.ttf"))
        latin = [name for name in files if os.path.basename(name).startswith(("DejaVu", "Liberation", "FreeS"))]
        if not latin:
            return ImageFont.load_default(), 14
        return ImageFont.truetype(latin[generator.integers(len(latin))], size), int(size * 1.4)

    def page(self, generator, width, height, size):
        """Dark lines of text on light paper."""
        font, line = self.font(generator, size)
        page = Image.new("L", (width, height), 240)
        pen = ImageDraw.Draw(page)
        top = height // 12
        while top < height - height // 8:
            text = ""
            end = width * (0.8 if generator.integers(6) else 0.4)
            while pen.textlength(text, font) < end - width // 10:
                text += WORDS[generator.integers(len(WORDS))] + " "
            pen.text((width // 10, top), text, fill=25, font=font)
            top += line * (1 + (generator.integers(7) == 0))
        return page

    def shadow(self, generator, height, width):
        """The light on each pixel: a part with a soft edge gets 20 to 50 percent of the light elsewhere."""
        x = numpy.arange(width)[None, :] / width + generator.uniform(-0.4, 0.4) * numpy.arange(height)[:, None] / height
        edge = 1 / (1 + numpy.exp((x - generator.uniform(0.3, 0.7)) * generator.uniform(10, 60)))
        return 1 - generator.uniform(0.5, 0.8) * edge

    def test_angles_of_pages(self):
        generator = numpy.random.default_rng(gpuimg_run.seed())
        os.mkdir(self.path("in"))
        angles, pages = {}, {}
        for number in range(PAGES):
            page = self.page(generator, int(generator.integers(700, 1100)), int(generator.integers(600, 1300)),
                             int(generator.integers(14, 30)))
            angle = round(float(generator.uniform(-10, 10)), 2)
            turned = numpy.asarray(page.rotate(-angle, Image.BICUBIC, fillcolor=240)).astype(float)
            if number % 3 == 0:
                turned *= self.shadow(generator, *turned.shape)
            turned += generator.normal(0, generator.uniform(0, 12) if number % 3 else 2, turned.shape)
            turned = numpy.clip(turned if generator.integers(4) else 255 - turned, 0, 255).astype(numpy.uint8)
            name = self.path(f"in/{number:03}.png")
            Image.fromarray(turned).save(name, compress_level=1)
            angles[name], pages[name] = angle, page
        lines = self.gpuimg("deskew", "-q", "--json", self.path("in"), self.path("out")).decode().splitlines()
        found = {line["name"]: line["angle"] for line in map(json.loads, lines)}
        self.assertEqual(sorted(found), sorted(angles))
        names = list(angles)
        left = [name for name in names[::3] if found[name] is None]  # some pages in a strong shadow are not rotated
        print(f"{len(left)} of {len(names[::3])} pages in a shadow are left as they are", flush=True)
        self.assertLessEqual(len(left), 4)
        errors = [0.0 if name in left else abs(found[name] - angles[name]) for name in names]
        print(f"{PAGES} pages: {numpy.mean(errors):.3f} degrees off on average, at most {max(errors):.3f}", flush=True)
        in_shadow = max(errors[::3])  # possibly only the light part is visible, so the lines are shorter
        print(f"of those in a shadow at most {in_shadow:.3f}", flush=True)
        self.assertLessEqual(max(errors[1::3] + errors[2::3]), 0.1)
        self.assertLessEqual(in_shadow, 0.2)
        for name, page in list(pages.items())[1::12]:
            self.check_straight(name, page)

    def check_straight(self, name, page):
        """The middle of the result looks like the page before the rotation: their blurred ink correlates."""
        result = numpy.asarray(Image.open(name.replace("/in/", "/out/"))).astype(float)
        before = numpy.asarray(page).astype(float)
        self.assertEqual(result.shape, before.shape)
        h, w = before.shape
        middle = numpy.s_[h // 5:h - h // 5, w // 5:w - w // 5]
        ink = [cv2.GaussianBlur(image, (0, 0), 2)[middle].ravel() for image in (before, result)]
        self.assertGreater(abs(numpy.corrcoef(*ink)[0, 1]), 0.9, name)

    def test_images_without_text_stay(self):
        names = [name for name in self.sample_files() if os.path.basename(name) not in ("document.png",)]
        for name in names:
            out = self.path(os.path.basename(name))
            line = json.loads(self.gpuimg("deskew", "-q", "--json", name, out))
            self.assertIsNone(line["angle"], name)
            self.gpuimg("compare", name, out)

    def group4_pages(self):
        """Black and white pages: rendered, rotated, noisy, with a form's lines, and blank."""
        generator = numpy.random.default_rng([gpuimg_run.seed(), 2])
        for number in range(FAXES):
            width, height = int(generator.integers(200, 1300)), int(generator.integers(100, 1300))
            page = self.page(generator, width, height, int(generator.integers(12, 40)))
            page = page.rotate(float(generator.uniform(-5, 5)) * (number % 2), Image.BICUBIC, fillcolor=240)
            pixels = numpy.asarray(page).astype(float) + generator.normal(0, (0, 20, 60)[number % 3], (height, width))
            black = pixels < 128
            if number % 5 == 4:
                black[::int(generator.integers(20, 60))] = True
                black[:, ::int(generator.integers(50, 200))] = True
            if number >= FAXES - 2:
                black[:] = number % 2
            yield numpy.where(black, 0, 255).astype(numpy.uint8)

    def tool(self, *command):
        done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual(done.returncode, 0, (command, done.stderr))
        return done.stdout

    def check_group4(self, file, pages):
        """Every installed reader must read these pages."""
        with Image.open(file) as image:
            self.assertEqual(image.n_frames, len(pages))
            for number, pixels in enumerate(pages):
                image.seek(number)
                self.assertEqual((image.mode, image.tag_v2[259]), ("1", 4))
                self.assertTrue(numpy.array_equal(numpy.asarray(image.convert("L")), pixels), number)
        if "convert" in self.tools:
            for number, pixels in enumerate(pages):
                gray = self.tool("convert", f"{file}[{number}]", "-depth", "8", "gray:-")
                self.assertEqual(gray, pixels.tobytes(), number)
        if "tiffcp" not in self.tools:
            return
        self.assertEqual(self.tool("tiffinfo", file).count(b"CCITT Group 4"), len(pages))
        self.tool("tiffcp", "-c", "none", file, self.path("plain.tif"))
        with Image.open(self.path("plain.tif")) as image:
            for number, pixels in enumerate(pages):
                image.seek(number)
                self.assertTrue(numpy.array_equal(numpy.asarray(image.convert("L")), pixels), number)
        self.tool("tiff2rgba", file, self.path("rgba.tif"))  # converts only the first page
        with Image.open(self.path("rgba.tif")) as image:
            self.assertTrue(numpy.array_equal(numpy.asarray(image.convert("L")), pages[0]))

    def test_group4_of_pages_and_of_all_in_one_file(self):
        self.tools = [name for name in ("convert", "tiffcp") if shutil.which(name)]
        if "convert" in self.tools and b"ImageMagick" not in subprocess.run(
                ["convert", "-version"], stdin=subprocess.DEVNULL, capture_output=True).stdout:
            self.tools.remove("convert")  # another program has this name
        for name in {"convert", "tiffcp"} - set(self.tools):
            print(f"SKIPPED: {name} is not installed, and reads no page of Group 4", flush=True)
        pages, ratios = list(self.group4_pages()), []
        for pixels in pages:
            Image.fromarray(pixels).convert("1").save(self.path("in.tif"))
            self.gpuimg("convert", "-q", "-f", "--compression", "g4", self.path("in.tif"), self.path("fax.tif"))
            self.check_group4(self.path("fax.tif"), [pixels])
            if "tiffcp" in self.tools:
                # A black row takes one bit if 0 means black, and two bits if 0 means white. tiffcp keeps this meaning, so
                # it gets plain.tif, in which 0 means the same as in fax.tif.
                self.tool("tiffcp", "-c", "g4", self.path("plain.tif"), self.path("theirs.tif"))
                sizes = [os.path.getsize(self.path(name)) for name in ("fax.tif", "theirs.tif")]
                ratios.append(sizes[0] / sizes[1])
                self.assertLessEqual(sizes[0], 1.05 * sizes[1] + 64, pixels.shape)
        if ratios:
            print(f"{len(pages)} pages: {min(ratios):.3f} to {max(ratios):.3f} of the size of tiffcp -c g4", flush=True)
        first, *others = (Image.fromarray(pixels).convert("1") for pixels in pages)
        first.save(self.path("stack.tif"), save_all=True, append_images=others)
        self.gpuimg("convert", "-q", "--compression", "g4", "--page", "all", self.path("stack.tif"), self.path("all.tif"))
        self.check_group4(self.path("all.tif"), pages)

    def despeckled(self, pixels, size, color):
        """Computed with OpenCV's connected components."""
        count, labels, stats, _ = cv2.connectedComponentsWithStats((pixels == color).astype(numpy.uint8), connectivity=8)
        small = stats[:, cv2.CC_STAT_AREA] <= size
        small[0] = False  # the background
        return numpy.where(small[labels], 255 - color, pixels).astype(numpy.uint8)

    def test_specks(self):
        generator = numpy.random.default_rng([gpuimg_run.seed(), 1])
        for number in range(SPECKS):
            height, width = generator.integers(1, 400, 2)
            white = generator.random((height, width)) < generator.random()
            pixels = numpy.where(white, 255, 0).astype(numpy.uint8)
            if number % 3 == 0:  # blurs the noise into larger shapes
                pixels = numpy.where(cv2.GaussianBlur(pixels, (0, 0), 1.5) > 127, 255, 0).astype(numpy.uint8)
            size = int(generator.integers(1, 40))
            Image.fromarray(pixels).convert("1").save(self.path("in.png"))
            for color, steps in (("black", (0,)), ("white", (255,)), ("both", (0, 255))):
                expected = pixels
                for step in steps:
                    expected = self.despeckled(expected, size, step)
                self.gpuimg("despeckle", "-f", "--size", size, "--color", color, self.path("in.png"), self.path("o.png"))
                found = numpy.asarray(Image.open(self.path("o.png")).convert("L"))
                self.assertTrue(numpy.array_equal(found, expected), (number, pixels.shape, size, color))


gpuimg_run.main()
