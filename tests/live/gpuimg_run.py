"""Support for live comparisons: the executable, a temporary folder, images with a printed seed, and skipping.
If a library is missing, a comparison names it and exits with 77, which ctest reports as skipped.
"""
import importlib
import os
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77


def require(*modules):
    """Returns the modules in this order; exits as skipped if one is not installed."""
    found = []
    for name in modules:
        try:
            found.append(importlib.import_module(name))
        except ImportError:
            print(f"SKIPPED: Python module {name} is not installed for {sys.executable}")
            sys.exit(SKIPPED)
    return found if len(found) > 1 else found[0]


def with_packages_of_environment(alone=False):
    """If GPUIMG_TEST_PACKAGES names packages, runs the calling script again with them, and exits with its exit code.

    The packages come from PyPI, as in "pillow==12.3.0 imagehash==4.3.2". They are added to this Python's own packages or,
    if `alone`, replace them. Exits as skipped if the installation fails, as without a network.
    """
    packages = os.environ.pop("GPUIMG_TEST_PACKAGES", "").split()
    if not packages:
        return
    with tempfile.TemporaryDirectory(prefix="gpuimg-packages-") as folder:
        python = os.path.join(folder, "bin", "python")
        beside = [] if alone else ["--system-site-packages"]
        for step in ([sys.executable, "-m", "venv", *beside, folder],
                     [python, "-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "20",
                      "--disable-pip-version-check", "--only-binary", ":all:", *packages]):
            done = subprocess.run(step, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if done.returncode != 0:
                why = (done.stdout + done.stderr).strip().splitlines()
                print(f"SKIPPED: {' '.join(packages)} cannot be installed: {why[-1] if why else step}")
                sys.exit(SKIPPED)
        sys.exit(subprocess.run([python, "-B", *sys.argv]).returncode)


class Comparison(unittest.TestCase):
    """A test case with a temporary folder and the gpuimg executable."""

    executable = None
    samples = None

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="gpuimg-live-")
        self.addCleanup(self._folder.cleanup)

    def path(self, name):
        return os.path.join(self._folder.name, name)

    def gpuimg(self, *arguments):
        """Runs gpuimg, which must succeed with no messages but notes about replaced files. Returns standard
        output as bytes."""
        command = [self.executable, *map(str, arguments)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
        said = [line for line in done.stderr.splitlines() if not line.startswith(b"gpuimg: note: replaced ")]
        self.assertEqual((done.returncode, said), (0, []), command)
        return done.stdout

    def sample_files(self):
        """The PNG files of the samples folder."""
        names = sorted(name for name in os.listdir(self.samples) if name.endswith(".png"))
        return [os.path.join(self.samples, name) for name in names]


def seed():
    """A new seed for every run, or GPUIMG_TEST_SEED to repeat a run; printed once."""
    if seed.value is None:
        seed.value = int(os.environ.get("GPUIMG_TEST_SEED") or int.from_bytes(os.urandom(4), "little"))
        print(f"GPUIMG_TEST_SEED={seed.value}", flush=True)
    return seed.value


seed.value = None

ODD_SIZES = [(1, 1), (2, 3), (17, 15), (1, 257), (331, 1), (255, 129), (641, 403)]


def random_images(numpy, channels, depth=8, sizes=None):
    """Arrays (h, w) or (h, w, c) of each size: noise, a narrow band of levels, few levels, one level, a smooth ramp."""
    generator = numpy.random.default_rng([seed(), channels, depth])
    top = 2**depth - 1
    kind = numpy.uint8 if depth == 8 else numpy.uint16
    for width, height in sizes or ODD_SIZES:
        shape = (height, width) if channels == 1 else (height, width, channels)
        low = int(generator.integers(0, top // 2))
        yield generator.integers(0, top + 1, shape).astype(kind)
        yield generator.integers(low, low + top // 4, shape).astype(kind)
        yield (generator.integers(0, 4, shape) * (top // 3)).astype(kind)
        yield numpy.full(shape, generator.integers(0, top + 1), kind)
        ramp = numpy.linspace(0, top, height * width * channels).astype(kind)
        yield ramp.reshape(shape)


def main():
    """Runs the calling script's comparisons: SCRIPT GPUIMG SAMPLES [unittest arguments]."""
    Comparison.executable = os.path.abspath(sys.argv[1])
    Comparison.samples = os.path.abspath(sys.argv[2])
    for name in [name for name in os.environ if name.startswith("GPUIMG_") and not name.startswith("GPUIMG_TEST_")]:
        del os.environ[name]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
