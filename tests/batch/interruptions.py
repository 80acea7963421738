"""SIGINT, SIGTERM, SIGHUP and kill -9 at random moments of a batch: no partial output ever, and the rerun ends with the bytes of
an undisturbed run.

usage: interruptions.py GPUIMG [TIMES]     TIMES of each signal; GPUIMG_TEST_INTERRUPTIONS, or 8
"""
import os
import shutil
import signal
import sys
import tempfile
import time

import batch_run
import image_tree
from batch_run import check

IMAGES = 80
SIZE = (331, 257)
SIGNALS = {
    signal.SIGINT: batch_run.INTERRUPTED,
    signal.SIGTERM: batch_run.STOPPED_EARLY,
    signal.SIGHUP: batch_run.STOPPED_EARLY,
    signal.SIGKILL: -signal.SIGKILL,
}


class Trial:
    def __init__(self, gpuimg, folder, random):
        self.gpuimg = gpuimg
        self.random = random
        self.source = os.path.join(folder, "in")
        self.target = os.path.join(folder, "out")
        self.manifest = os.path.join(folder, "run.jsonl")
        image_tree.write(self.source, IMAGES, SIZE, seed=random.randrange(1_000_000))
        reference = os.path.join(folder, "expected")
        batch_run.expect(0, *self.command(reference))
        self.seconds = batch_run.expect(0, *self.command(reference, "--force")).seconds  # the first was warming up
        self.expected = batch_run.outputs_of(reference)
        check(len(self.expected) == IMAGES, f"{len(self.expected)} outputs of {IMAGES} images")

    def command(self, target, *more):
        jobs = self.random.choice([1, 2, 4])
        command = [self.gpuimg, "equalize", self.source, target, "--recursive", "-q", "--backend", "cpu"]
        return [*command, "--jobs", str(jobs), *more]

    def interrupt(self, number):
        """One run, stopped at a random moment, a second time if need be; returns how many outputs it left."""
        shutil.rmtree(self.target, ignore_errors=True)
        if os.path.exists(self.manifest):
            os.remove(self.manifest)
        running = batch_run.Running(*self.command(self.target, "--manifest", self.manifest))
        moment = self.random.uniform(0, self.seconds)
        time.sleep(moment)
        running.signal(number)
        impatient = number != signal.SIGKILL and self.random.random() < 0.3
        if impatient:
            time.sleep(self.random.uniform(0, 0.005))
            running.signal(number)
        ended = running.end()
        what = f"{number.name}{' twice' if impatient else ''} after {moment:.3f} s"
        left = batch_run.outputs_of(self.target)
        before_it_listened = ended.status == -number and not left
        check(ended.status in (0, SIGNALS[number]) or before_it_listened, f"{what}: {ended}")
        check(ended.status != 0 or len(left) == IMAGES, f"{what}: exit 0 with {len(left)} outputs")
        batch_run.check_whole(left, self.expected, what)
        if number != signal.SIGKILL and not impatient:
            check(not batch_run.temporaries_of(self.target), f"{what}: left {batch_run.temporaries_of(self.target)[:3]}")
        self.check_manifest(left, what)
        return what, len(left)

    def check_manifest(self, left, what):
        """Nothing is called done whose output is not there."""
        for line in batch_run.done_lines(self.manifest):
            path = os.path.relpath(line["output"], self.target)
            check(path in left, f"{what}: the manifest says {path!r} is done, and it is not there")

    def rerun(self, what):
        resuming = os.path.exists(self.manifest) and self.random.random() < 0.5
        how = ["--manifest", self.manifest, "--resume", self.manifest] if resuming else ["--skip-existing"]
        before = self.inodes()
        batch_run.expect(0, *self.command(self.target, *how))
        what = f"{what}, then {how[-2] if resuming else how[0]}"
        batch_run.check_same(batch_run.outputs_of(self.target), self.expected, what)
        check(not batch_run.temporaries_of(self.target), f"{what}: left {batch_run.temporaries_of(self.target)[:3]}")
        if not resuming:
            check(before.items() <= self.inodes().items(), f"{what}: an existing output was written again")

    def inodes(self):
        paths = [path for path in batch_run.files_below(self.target) if not batch_run.is_temporary(os.path.basename(path))]
        return {path: os.stat(os.path.join(self.target, path)).st_ino for path in paths}


def main(gpuimg, times=None):
    batch_run.forget_environment()
    times = int(times or os.environ.get("GPUIMG_TEST_INTERRUPTIONS") or 8)
    random = batch_run.seeded_random()
    with tempfile.TemporaryDirectory(prefix="gpuimg-batch-") as folder:
        trial = Trial(os.path.abspath(gpuimg), folder, random)
        print(f"{IMAGES} images, undisturbed in {trial.seconds:.3f} s")
        for number in SIGNALS:
            midway = 0
            for _ in range(times):
                what, left = trial.interrupt(number)
                midway += 0 < left < IMAGES
                trial.rerun(what)
            print(f"{number.name}: {times} times, {midway} of them with some images done and some not")
            check(times < 8 or midway > 0, f"{number.name} never came in the middle of the work")


main(*sys.argv[1:])
