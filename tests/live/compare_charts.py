"""Compares the figures and columns of `gpuimg hist --chart` on terminals of three sizes with NumPy's."""
import fcntl
import os
import pty
import re
import struct
import termios

import gpuimg_run
from level_statistics import luma_of, numpy, statistics_of

cv2 = gpuimg_run.require("cv2")

TERMINALS = [(80, 24), (200, 50), (40, 24)]
EIGHTHS = " ▁▂▃▄▅▆▇█"
PREFIXES = {"": 1, "k": 10**3, "M": 10**6}
NUMBER = r"([0-9.e+-]+)"


def on_terminal(columns, rows, command):
    """The command's output on a terminal of this size, without colors."""
    child, master = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.execvpe(command[0], command, os.environ | {"NO_COLOR": "1", "LC_ALL": "C.UTF-8", "TERM": "xterm"})
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end of the terminal is closed
            break
        if not part:
            break
        shown += part
    os.close(master)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), shown.decode().replace("\r\n", "\n")


def images():
    """Name, pixels in RGB or gray, options, and the highest level of the chart."""
    generator = numpy.random.default_rng(gpuimg_run.seed())
    noise = generator.normal(0.5, 0.15, (120, 160, 3)).clip(0, 1)
    clipped = (noise[..., 0] * 255).astype(numpy.uint8)
    clipped[:40] = 255
    yield "gray8", (noise[..., 0] * 255).astype(numpy.uint8), [], 255
    yield "gray16", (noise[..., 0] * 65535).astype(numpy.uint16), [], 65535
    yield "sensor", (noise[..., 0] * 4095).astype(numpy.uint16), ["--range", "auto"], 4095
    yield "luma", (noise * 255).astype(numpy.uint8), [], 255
    yield "rgb", (noise * 255).astype(numpy.uint8), ["--channel", "rgb"], 255
    yield "clipped", clipped, [], 255
    yield "flat", numpy.full((30, 40), 96, numpy.uint8), [], 255


class Charts(gpuimg_run.Comparison):
    def written(self, name, pixels):
        self.assertTrue(cv2.imwrite(self.path(f"{name}.png"), pixels if pixels.ndim == 2 else pixels[..., ::-1]))
        return self.path(f"{name}.png")

    def drawn(self, chart):
        """For each channel: the label of its count axis, and its rows from the top, each as wide as the level axis."""
        width = len(next(line for line in chart if "└" in line).partition("└")[2])
        channels = []
        for line in chart:
            label, rule, bars = line.partition("│")
            if not rule:
                continue
            if label.strip() and re.fullmatch(rf"{NUMBER}[kM]?", label.strip()):
                channels.append((label.strip(), []))
            channels[-1][1].append(bars.ljust(width))
        return channels

    def check_columns(self, label, rows, counts, what):
        """Heights are eighths of a row relative to the axis; columns that exceed the axis are cut and marked."""
        width = len(rows[0])
        repeat = max(1, width // len(counts))
        per_column = -(-len(counts) * repeat // width)
        columns = numpy.add.reduceat(counts, numpy.arange(0, len(counts), per_column))
        self.assertEqual(len(columns) * repeat, width, what)
        ceiling = float(re.match(NUMBER, label)[1]) * PREFIXES[label.lstrip("0123456789.e+-")]
        self.assertTrue(ceiling >= columns.max() * 0.994 or "▲" in rows[0], (what, label, columns.max()))
        self.assertLessEqual(ceiling, columns.max() * 1.006, what)
        for index, count in enumerate(columns):
            column = [row[index * repeat] for row in rows]
            if column[0] == "▲":
                self.assertGreater(count, ceiling, what)
                continue
            found = sum(EIGHTHS.index(part) for part in column)
            self.assertLessEqual(abs(found - count / ceiling * 8 * len(rows)), 2, (what, index, count, label))
            self.assertEqual(found > 0, count > 0, (what, index))

    def check_facts(self, text, statistics, names, what):
        for name in names:
            is_percentile = re.fullmatch(r"p\d+", name)
            shown = f" {name[1:]}%" if is_percentile else name.removesuffix("_bits")
            found = re.search(rf"{shown}\s+{NUMBER}", text)
            self.assertIsNotNone(found, (what, name, text))
            value = statistics[name]
            allowed = 0.005 if name == "entropy_bits" else max(abs(value) * 5.1e-4, 1e-9)
            self.assertLessEqual(abs(float(found[1]) - value), allowed, (what, name, found[0], value))

    def check_share(self, text, share, at, what):
        found = re.search(rf"(<0\.01|{NUMBER})%\s+(at|at or above|at or below)\s+{at}\b", text)
        self.assertIsNotNone(found, (what, at, text))
        if found[1].startswith("<"):
            self.assertTrue(0 < share < 1e-4, (what, at, share))
        else:
            self.assertLessEqual(abs(float(found[1]) / 100 - share), max(share * 5.1e-3, 5.1e-5), (what, at, share))

    def check_chart(self, name, pixels, options, last, size):
        what = (name, *size)
        code, text = on_terminal(*size, [self.executable, "hist", *options, self.written(name, pixels)])
        self.assertEqual(code, 0, text)
        chart = text.splitlines()
        # The prompt takes one more row. Three channels of two rows, with their text, can be higher than the terminal.
        self.assertLess(len(chart), size[1] if "rgb" not in options or size[0] > 40 else size[1] + 24, (what, text))
        self.assertLessEqual(max(map(len, chart)), size[0], (what, text))
        for fact in (f"{name}.png", f"{pixels.shape[1]} × {pixels.shape[0]}", f"{8 * pixels.itemsize} bit",
                     "RGB" if pixels.ndim == 3 else "gray", f"{pixels.shape[0] * pixels.shape[1]:,} pixels counted"):
            self.assertIn(fact, re.sub(r"\s+", " ", text), what)
        top = numpy.iinfo(pixels.dtype).max
        channels = [pixels[..., i] for i in range(3)] if "rgb" in options else [luma_of(pixels)]
        drawn = self.drawn(chart)
        self.assertEqual(len(drawn), len(channels), (what, text))
        flat = re.sub(r"\s+", " ", text)
        texts = re.findall(r"[rgb]: .*?(?= [rgb]: |$)", flat) if len(channels) == 3 else [flat]
        self.assertEqual(len(texts), len(channels), (what, text))
        for levels, (label, rows), said in zip(channels, drawn, texts):
            self.check_columns(label, rows, numpy.bincount(levels.ravel(), minlength=last + 1), what)
            names = ["mean", "stddev", "median"]
            if len(channels) == 1:
                names += ["mode", "entropy_bits", "min", "p1", "p5", "p25", "p75", "p95", "p99", "max"]
            self.check_facts(said, statistics_of(levels, top), names, what)
            self.check_share(said, (levels == 0).mean(), 0, what)
            self.check_share(said, (levels >= last).mean(), last, what)

    def test_charts_on_terminals(self):
        for name, pixels, options, last in images():
            for size in TERMINALS:
                with self.subTest(name=name, size=size):
                    self.check_chart(name, pixels, options, last, size)


gpuimg_run.main()
