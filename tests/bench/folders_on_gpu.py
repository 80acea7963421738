"""Runs bench/folders_on_gpu with a fake gpuimg that only copies files. Checks which commands it runs, in which order,
what it prints, and that it detects wrong outputs. usage: folders_on_gpu.py FOLDERS_ON_GPU"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

FAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_gpuimg")
PEER = """#!/usr/bin/env bash
echo "peer $3" >>"$FAKE_LOG"
mkdir "$2"
[ -z "${FAKE_RATE:-}" ] || printf 'warm 1.0 img/s\\nnow %s img/s\\n' "$FAKE_RATE"
"""


class FoldersOnGpu(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        os.mkdir(self.path("photos"))
        os.mkdir(self.path("scratch"))
        for name in ("a.jpg", "b.jpg", "c-progressive.jpg", "d.png", "notes.txt"):
            self.write("photos/" + name, name)
        self.write("peer", PEER)
        os.chmod(self.path("peer"), 0o755)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_bench(self, *words, **environment):
        """Returns the finished process, and the commands that it ran."""
        self.write("log", "")
        environment = os.environ | {"FAKE_LOG": self.path("log")} | environment
        command = [sys.executable, "-B", BENCH, FAKE, self.path("photos"), "--scratch", self.path("scratch"),
                   "--files", "12", "--rounds", "2", "--jobs", "3", *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.assertEqual(os.listdir(self.path("scratch")), [])
        with open(self.path("log"), encoding="utf-8") as log:
            lines = [line for line in log.read().splitlines() if not line.startswith("info ")]
        return done, [re.sub(r"/\S*/", "", line) for line in lines]

    def cells(self, done, row):
        line = next(line for line in done.stdout.splitlines() if line.startswith(f"| {row} |"))
        return [cell.strip() for cell in line.split("|")[2:-1]]

    def test_cpu_and_cuda_take_turns(self):
        done, ran = self.run_bench("--rows", "hist JPEG")
        self.assertEqual(done.returncode, 0, done.stderr)
        measured = [line for line in ran if " in " in line]
        self.assertEqual(measured, ["hist in out-cpu -q --backend cpu --jobs 3",
                                    "hist in out-cuda -q --backend cuda --jobs 3"] * 2)
        files, cpu, cuda, ratio, start = self.cells(done, "hist JPEG")
        self.assertEqual(files, "12")
        self.assertRegex(start, r"^[0-9]\.[0-9]{3}$")
        self.assertGreater(float(cpu), 0)
        for cell in (cuda, ratio):  # the fake gpuimg starts too fast for its start to be measured
            self.assertRegex(cell, r"^([0-9]+\.[0-9]+|too few files)$")

    def test_the_first_images_can_be_left_out(self):
        done, ran = self.run_bench("--rows", "hist JPEG", "--after", "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the first 4 images on GPUs are not counted", done.stdout)
        self.assertEqual([line for line in ran if " in" in line], ["hist in out-cpu -q --backend cpu --jobs 3",
                                                                   "hist in-first out-cuda -q --backend cuda --jobs 3",
                                                                   "hist in out-cuda -q --backend cuda --jobs 3"] * 2)
        done, _ = self.run_bench("--rows", "hist JPEG,hist PNG", "--after", "6")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--after: some row has at most that many files", done.stderr)

    def test_every_row_uses_photos_of_its_kind(self):
        done, ran = self.run_bench()
        self.assertEqual(done.returncode, 0, done.stderr)
        for row, files in (("equalize JPEG to PNG", "3"), ("equalize PNG to PNG", "3"), ("hist PNG", "6"),
                           ("hist progressive JPEG", "6"), ("hsl JPEG to 16-bit PNG", "1")):
            self.assertEqual(self.cells(done, row)[0], files)
        self.assertIn("equalize --format png in out-cuda -q --backend cuda --jobs 3", ran)

    def test_a_row_without_photos_says_so(self):
        os.remove(self.path("photos/d.png"))
        done, _ = self.run_bench("--rows", "hist PNG,hist JPEG")
        self.assertEqual(self.cells(done, "hist PNG")[0], "no such photo")
        self.assertEqual(self.cells(done, "hist JPEG")[0], "12")

    def test_the_cpu_may_take_fewer_files(self):
        words = ("--rows", "hist JPEG", "--cpu-files", "5")
        done, ran = self.run_bench(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line for line in ran if " in" in line],
                         ["hist in-cpu out-cpu -q --backend cpu --jobs 3", "hist in out-cuda -q --backend cuda --jobs 3"] * 2)
        self.assertEqual(self.cells(done, "hist JPEG")[0], "12")
        done, _ = self.run_bench(*words, FAKE_WRONG_ON="cuda")
        self.assertIn("the outputs of CUDA differ from the CPU's", done.stderr)

    def test_several_numbers_of_gpus(self):
        done, ran = self.run_bench("--rows", "hist JPEG", "--gpus", "1,2,4")
        self.assertEqual(done.returncode, 0, done.stderr)
        measured = [line.partition(" -q ")[2] for line in ran if " in " in line]
        on_gpus = [f"--backend cuda --jobs {jobs} --devices {devices}"
                   for jobs, devices in ((3, "0"), (6, "0,1"), (12, "0,1,2,3"))]
        self.assertEqual(measured, ["--backend cpu --jobs 3", *on_gpus] * 2)
        self.assertIn("| CPU, images/s | 1 GPU, images/s | 2 GPUs, images/s | 4 GPUs, images/s |", done.stdout)
        self.assertEqual(len(self.cells(done, "hist JPEG")), 1 + 4 + 3 + 3)

    def test_a_start_is_measured_with_as_many_images_as_its_row(self):
        _, ran = self.run_bench("--rows", "hist JPEG,hist PNG", "--gpus", "1,2", FAKE_TELLS_FILES="1")
        self.assertEqual([line for line in ran if line.startswith("files ")],
                         [*["files 12 in small"] * 15, *["files 12 in in"] * 6,
                          *["files 6 in small"] * 15, *["files 6 in in"] * 6])

    def test_gpus_share_the_cores(self):
        have = sorted(os.sched_getaffinity(0))
        words = ("--rows", "hist JPEG", "--gpus", "1,2")
        _, ran = self.run_bench(*words, FAKE_TELLS_CORES="1")
        self.assertEqual({line for line in ran if line.startswith("cores ")}, {f"cores {len(have)}"})
        _, ran = self.run_bench(*words, "--share-cores", FAKE_TELLS_CORES="1")
        self.assertEqual({line for line in ran if line.startswith("cores ")},
                         {f"cores {max(1, round(len(have) / 2))}", f"cores {len(have)}"})

    def test_a_peer_runs_in_the_same_rounds(self):
        done, ran = self.run_bench("--rows", "equalize JPEG to JPEG,hist PNG", "--peer", self.path("peer"),
                                   FAKE_RATE="123.4")
        self.assertEqual(done.returncode, 0, done.stderr)
        order = [line.split()[0] + (line.split("--backend ")[1][:4] if "--backend" in line else "")
                 for line in ran if line.startswith("equalize in ") or line == "peer equalize"]
        self.assertEqual(order, ["equalizecpu ", "equalizecuda", "peer"] * 2)
        cells = self.cells(done, "equalize JPEG to JPEG")
        self.assertEqual(cells[3], "123.4")  # the last rate that the peer printed
        self.assertAlmostEqual(float(cells[5]), 123.4 / float(cells[1]), delta=0.01)
        self.assertEqual(self.cells(done, "hist PNG")[3], "")

    def test_a_peer_that_prints_no_rate_is_timed(self):
        done, _ = self.run_bench("--rows", "hist JPEG", "--peer", self.path("peer"))
        self.assertRegex(self.cells(done, "hist JPEG")[3], r"^([0-9]+\.[0-9]+|too few files)$")

    def test_a_peer_in_python_needs_no_permission(self):
        self.write("peer.py", "import sys\nprint('7.5 images/s', len(sys.argv))\n")
        done, _ = self.run_bench("--rows", "hist JPEG", "--peer", self.path("peer.py"))
        self.assertEqual(self.cells(done, "hist JPEG")[3], "7.5", done.stderr)

    def test_different_outputs_are_an_error(self):
        done, _ = self.run_bench("--rows", "hist JPEG", FAKE_WRONG_ON="cuda")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("the outputs of CUDA differ from the CPU's: ['000000.jpg']", done.stderr)

    def test_an_unknown_row_is_rejected(self):
        done, ran = self.run_bench("--rows", "hist JPG")
        self.assertEqual((done.returncode, ran), (2, []))
        self.assertIn("no row 'hist JPG'", done.stderr)


if __name__ == "__main__":
    BENCH = os.path.abspath(sys.argv.pop(1))
    unittest.main()
