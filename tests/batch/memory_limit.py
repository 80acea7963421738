"""Checks that --max-memory holds for any number of workers: large images wait for memory, and cached memory counts too.

usage: memory_limit.py GPUIMG [COPIES]     30
"""
import os
import shutil
import subprocess
import sys
import tempfile

import batch_run
import image_tree
from batch_run import check

SIZE = "3000x2000"
LIMIT = 200_000_000  # room for about three of these images in flight


def main(gpuimg, copies=30):
    batch_run.forget_environment()
    if batch_run.is_sanitized(gpuimg):
        print("SKIPPED: sanitizers need more memory than the limit")
        sys.exit(batch_run.SKIPPED)
    with tempfile.TemporaryDirectory(prefix="gpuimg-batch-") as folder:
        source, target = os.path.join(folder, "in"), os.path.join(folder, "out")
        os.mkdir(source)
        first = os.path.join(source, "0.png")
        # In a child process, because gpuimg would inherit the peak memory of the calling process.
        subprocess.run([sys.executable, image_tree.MAKE_IMAGE, "png", first, SIZE], check=True)
        for copy in range(1, int(copies)):
            os.link(first, os.path.join(source, f"{copy}.png"))
        for jobs in (1, 4, 16):
            shutil.rmtree(target, ignore_errors=True)
            ended = batch_run.expect(
                0, os.path.abspath(gpuimg), "equalize", source, target, "-q", "--backend", "cpu",
                "--jobs", jobs, "--max-memory", LIMIT,
            )
            print(f"--jobs {jobs}: peak {ended.peak_bytes / 1e6:.0f} MB of {LIMIT / 1e6:.0f} MB", flush=True)
            check(ended.peak_bytes <= LIMIT, f"--jobs {jobs} exceeds --max-memory")
            check(len(set(batch_run.outputs_of(target).values())) == 1, "copies of one image differ")


main(*sys.argv[1:])
