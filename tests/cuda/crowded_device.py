#!/usr/bin/env python3
"""Runs gpuimg while another process occupies most of the device memory. Each call must either produce the CPU's bytes,
or fail with one error line and no output file. usage: crowded_device.py GPUIMG OCCUPY_DEVICE

One image has 48 MB and results of up to 192 MB. The other has 92 MB, so that `--backend auto` prefers CUDA to one CPU
thread. The free memory varies from enough for everything to too little for CUDA itself. The test fails unless all
outcomes occur: whole images, strips, the CPU as a fallback, and errors.
"""
import collections
import os
import subprocess
import sys
import tempfile

OUT_OF_MEMORY, NO_BACKEND = 6, 5
ON_CUDA = [("cuda", operation, file, "rgb.ppm") for operation, file in
           (("hist", "a.json"), ("equalize", "b.png"), ("integral", "c.npy"), ("hsl", "d.npy"))]
CALLS = ON_CUDA + [("auto", "hist", "e.json", "gray.pgm")]


def write_image(path, magic, side, channels):
    """Writes an image whose rows differ, so that wrongly joined strips are detected."""
    row = bytes((x * x // 977 + x) & 255 for x in range(channels * side))
    with open(path, "wb") as file:
        file.write(b"%s %d %d 255\n" % (magic, side, side))
        for y in range(side):
            shift = (y * 37) % len(row)
            file.write(row[shift:] + row[:shift])


class CrowdedDevice:
    def __init__(self, gpuimg, occupy, folder):
        self.gpuimg, self.occupy, self.folder = gpuimg, occupy, folder
        self.seen = collections.Counter()
        write_image(os.path.join(folder, "rgb.ppm"), b"P6", 4096, 3)
        write_image(os.path.join(folder, "gray.pgm"), b"P5", 9600, 1)
        self.expected = {}
        for _, operation, file, image in CALLS:
            done, self.expected[file] = self.run("cpu", operation, file, image)
            assert done.returncode == 0, done.stderr

    def run(self, backend, operation, file, image):
        source, out = (os.path.join(self.folder, name) for name in (image, file))
        command = [self.gpuimg, operation, "-v", "--backend", backend, "--threads", "1", source, out]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        content = None
        if os.path.exists(out):
            with open(out, "rb") as written:
                content = written.read()
            os.remove(out)
        return done, content

    def judge(self, what, backend, done, content, expected):
        """Returns the kind of outcome; fails if the outcome is wrong."""
        messages = done.stderr
        if done.returncode == 0:
            assert content == expected, f"{what}: bytes differ\n{messages}"
            if "backend cpu" in messages or "the CPU takes" in messages:
                assert backend == "auto" and "the CPU takes" in messages, f"{what}: used the CPU unnecessarily\n{messages}"
                return "cpu instead"
            return "strips" if "in strips" in messages else "whole"
        errors = [line for line in messages.splitlines() if line.startswith("gpuimg: error: ")]
        is_rejection = done.returncode in (OUT_OF_MEMORY, NO_BACKEND) and backend == "cuda" and len(errors) == 1
        assert is_rejection and content is None, f"{what}: exit {done.returncode}\n{messages}"
        return "rejected"

    def at(self, left):
        """Makes all calls while another process leaves `left` MiB free. Returns how often each outcome occurred."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen([self.occupy, str(left)], **pipes) as other:
            says = other.stdout.readline().strip()
            assert says.endswith("left"), says
            happened = collections.Counter()
            for call in CALLS:
                done, content = self.run(*call)
                happened[self.judge(f"{says}: {' '.join(call)}", call[0], done, content, self.expected[call[2]])] += 1
            other.stdin.close()
        print(f"{says}: " + ", ".join(f"{count} {what}" for what, count in sorted(happened.items())), flush=True)
        self.seen += happened
        return happened

    def search(self):
        """Finds, by bisection, the smallest free memory in which CUDA works, then increases the memory from there."""
        rejected, working = 0, 2048
        self.at(rejected)
        self.at(working)
        while working - rejected > 8:
            middle = (working + rejected) // 2
            if self.at(middle)["rejected"] == len(ON_CUDA):
                rejected = middle
            else:
                working = middle
        for more in (16, 32, 64, 128, 256, 512):
            self.at(working + more)


def main():
    with tempfile.TemporaryDirectory(prefix="gpuimg-crowded-") as folder:
        test = CrowdedDevice(sys.argv[1], sys.argv[2], folder)
        test.search()
    missing = {"whole", "strips", "cpu instead", "rejected"} - set(test.seen)
    assert not missing, f"did not occur: {missing}"
    print(f"{sum(test.seen.values())} runs: " + ", ".join(f"{n} {what}" for what, n in sorted(test.seen.items())))


if __name__ == "__main__":
    main()
