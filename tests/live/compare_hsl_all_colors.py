"""All 2^24 colors through `gpuimg hsl`: the 8-bit encodings equal OpenCV's, and u16 round-trips unchanged.

OpenCV's results differ in a few thousand colors between builds and processors with and without fused multiply-add (FMA),
because the compiler contracts its float arithmetic. gpuimg follows OpenCV 4.6 with FMA, so the test first finds out
whether the installed OpenCV uses FMA. Even then, OpenCV processes the last columns of a row without FMA, unless the width
is a multiple of eight, such as 4096.
"""
import gpuimg_run

numpy, cv2 = gpuimg_run.require("numpy", "cv2")


def all_colors():
    index = numpy.arange(2**24, dtype=numpy.uint32).reshape(4096, 4096)
    return numpy.dstack([(index >> shift & 255).astype(numpy.uint8) for shift in (16, 8, 0)])


def opencv_has_fma():
    """True if OpenCV was built for, or dispatches to, AVX2 (which it compiles with FMA) on this processor."""
    avx2, fma3 = 11, 12  # CV_CPU_AVX2 and CV_CPU_FMA3
    if not (cv2.checkHardwareSupport(avx2) and cv2.checkHardwareSupport(fma3)):
        return False
    lines = cv2.getBuildInformation().splitlines()
    return any("AVX2" in line for line in lines if "Baseline" in line or "Dispatched" in line)


class AllColors(gpuimg_run.Comparison):
    @classmethod
    def setUpClass(cls):
        cls.pixels = all_colors()

    def setUp(self):
        super().setUp()
        self.assertTrue(cv2.imwrite(self.path("in.png"), self.pixels[:, :, ::-1], [cv2.IMWRITE_PNG_COMPRESSION, 1]))

    def compare(self, encoding, conversion):
        self.gpuimg("hsl", "--encode", encoding, self.path("in.png"), self.path("hls.npy"))
        found = numpy.load(self.path("hls.npy"))
        expected = cv2.cvtColor(self.pixels, conversion)
        differing = [int((found[..., c] != expected[..., c]).sum()) for c in range(3)]
        print(f"{encoding}: OpenCV {cv2.__version__}, FMA {opencv_has_fma()}, H, L, S that differ: {differing}", flush=True)
        if cv2.__version__.startswith("4.6.") and opencv_has_fma():
            self.assertEqual(differing, [0, 0, 0])
        steps = numpy.abs(found.astype(int) - expected)
        steps[..., 0] = numpy.minimum(steps[..., 0], (180 if encoding == "opencv" else 256) - steps[..., 0])
        self.assertLessEqual(int(steps.max()), 1)

    def test_opencv(self):
        self.compare("opencv", cv2.COLOR_RGB2HLS)

    def test_opencv_full(self):
        self.compare("opencv-full", cv2.COLOR_RGB2HLS_FULL)

    def test_u16_round_trips(self):
        self.gpuimg("hsl", "--png-level", "0", self.path("in.png"), self.path("hsl.png"))
        self.gpuimg("hsl", "--inverse", "--png-level", "0", self.path("hsl.png"), self.path("back.png"))
        back = cv2.imread(self.path("back.png"), cv2.IMREAD_UNCHANGED)[:, :, ::-1]
        self.assertEqual(int((back != self.pixels).sum()), 0)

    def test_luma_matches_pillow_and_opencv(self):
        image = gpuimg_run.require("PIL.Image").fromarray(self.pixels)
        self.check_luma("bt601", image.convert("L").histogram())
        gray = cv2.cvtColor(self.pixels, cv2.COLOR_RGB2GRAY)
        self.check_luma("opencv", numpy.bincount(gray.ravel(), minlength=256).tolist())

    def check_luma(self, name, expected):
        lines = self.gpuimg("hist", "--luma", name, self.path("in.png")).decode("ascii").splitlines()[1:]
        self.assertEqual([int(line.split(",")[1]) for line in lines], expected)


gpuimg_run.main()
