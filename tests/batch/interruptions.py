"""Sends SIGINT, SIGTERM, SIGHUP and SIGKILL at random moments of a batch. There must be no partial output, and the
rerun must produce the bytes of an undisturbed run. A foreign file in place of an output must stay unchanged, and
--resume must reject it.

usage: interruptions.py GPUIMG [TIMES] [SIGNAL…]
TIMES: how often each signal is sent (GPUIMG_TEST_INTERRUPTIONS, or 8). Without SIGNAL, all signals are tested.
"""
import hashlib
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
FOREIGN = b"a file of somebody else"
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
        self.steps = random.choice([[], ["--then", "hsl", "--hue", "20", "--then", "convert"]])
        self.source = os.path.join(folder, "in")
        self.target = os.path.join(folder, "out")
        self.manifest = os.path.join(folder, "run.jsonl")
        image_tree.write(self.source, IMAGES, SIZE, seed=random.randrange(1_000_000))
        reference = os.path.join(folder, "expected")
        batch_run.expect(0, *self.command(reference))
        # The run before this one warmed the caches.
        self.seconds = batch_run.expect(0, *self.command(reference, "--force")).seconds
        self.expected = batch_run.outputs_of(reference)
        check(len(self.expected) == IMAGES, f"{len(self.expected)} outputs of {IMAGES} images")

    def command(self, target, *more):
        jobs = self.random.choice([1, 2, 4])
        command = [self.gpuimg, "equalize", self.source, target, "--recursive", "-q", "--backend", "cpu"]
        return [*command, *self.steps, "--jobs", str(jobs), *more]

    def interrupt(self, number):
        """Starts gpuimg and stops it at a random moment, with a second signal if needed. Returns a description, the
        outputs, and the path of a foreign file among them, or None."""
        shutil.rmtree(self.target, ignore_errors=True)
        if os.path.exists(self.manifest):
            os.remove(self.manifest)
        running = batch_run.Running(*self.command(self.target, "--manifest", self.manifest))
        moment = self.random.uniform(0, self.seconds)
        until_foreign = self.random.uniform(0, moment)
        time.sleep(until_foreign)
        foreign = self.plant() if self.random.random() < 0.5 else None
        time.sleep(moment - until_foreign)
        running.signal(number)
        impatient = number != signal.SIGKILL and self.random.random() < 0.3
        if impatient:
            time.sleep(self.random.uniform(0, 0.005))
            running.signal(number)
        ended = running.end()
        what = f"{number.name}{' twice' if impatient else ''} after {moment:.3f} s"
        left = batch_run.outputs_of(self.target)
        if foreign:
            self.check_foreign(left, foreign, what)
            del left[foreign]
        before_it_listened = ended.status == -number and not left
        allowed = {0, SIGNALS[number]} if not foreign else {batch_run.SOME_FAILED, batch_run.BAD_OUTPUT, SIGNALS[number]}
        check(ended.status in allowed or before_it_listened, f"{what}: {ended}")
        check(ended.status != 0 or len(left) == IMAGES, f"{what}: exit 0 with {len(left)} outputs")
        batch_run.check_whole(left, self.expected, what)
        if number != signal.SIGKILL and not impatient:
            check(not batch_run.temporaries_of(self.target), f"{what}: left {batch_run.temporaries_of(self.target)[:3]}")
        self.check_manifest(left, what)
        return what, len(left), foreign

    def plant(self):
        """Creates a foreign file in place of a missing output; returns its path, or None."""
        path = self.random.choice(sorted(self.expected))
        full = os.path.join(self.target, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        try:
            with open(full, "xb") as file:
                file.write(FOREIGN)
        except FileExistsError:
            return None
        return path

    def check_foreign(self, found, foreign, what):
        check(found.get(foreign) == hashlib.sha256(FOREIGN).hexdigest(), f"{what}: the foreign {foreign!r} was touched")

    def resume(self):
        return self.command(self.target, "--manifest", self.manifest, "--resume", self.manifest)

    def reject(self, foreign, what):
        """Checks that --resume changes nothing while a foreign file is in the way."""
        before = batch_run.outputs_of(self.target)
        batch_run.expect(batch_run.BAD_OUTPUT, *self.resume())
        after = batch_run.outputs_of(self.target)
        self.check_foreign(after, foreign, what)
        check(after == before, f"{what}: a rejected run changed the folder")
        os.remove(os.path.join(self.target, foreign))

    def check_manifest(self, left, what):
        """Checks that each item recorded as done has its output, and that each output has a `begun` line."""
        begun = {file for line in batch_run.begun_lines(self.manifest) for file in line["files"]}
        for path in left:
            check(os.path.join(self.target, path) in begun, f"{what}: the manifest has no begun line for {path!r}")
        for line in batch_run.done_lines(self.manifest):
            path = os.path.relpath(line["output"], self.target)
            check(path in left, f"{what}: the manifest says {path!r} is done, but it is missing")

    def rerun(self, what):
        resuming = os.path.exists(self.manifest) and self.random.random() < 0.5
        before = self.inodes()
        batch_run.expect(0, *(self.resume() if resuming else self.command(self.target, "--skip-existing")))
        what = f"{what}, then {'--resume' if resuming else '--skip-existing'}"
        batch_run.check_same(batch_run.outputs_of(self.target), self.expected, what)
        check(not batch_run.temporaries_of(self.target), f"{what}: left {batch_run.temporaries_of(self.target)[:3]}")
        if not resuming:
            check(before.items() <= self.inodes().items(), f"{what}: an existing output was written again")

    def inodes(self):
        paths = [path for path in batch_run.files_below(self.target) if not batch_run.is_temporary(os.path.basename(path))]
        return {path: os.stat(os.path.join(self.target, path)).st_ino for path in paths}


def main(gpuimg, times=None, *signals):
    batch_run.forget_environment()
    times = int(times or os.environ.get("GPUIMG_TEST_INTERRUPTIONS") or 8)
    random = batch_run.seeded_random()
    with tempfile.TemporaryDirectory(prefix="gpuimg-batch-") as folder:
        trial = Trial(os.path.abspath(gpuimg), folder, random)
        print(f"{IMAGES} images, undisturbed in {trial.seconds:.3f} s")
        for number in [signal.Signals[name] for name in signals] or SIGNALS:
            midway = rejected = 0
            for _ in range(times):
                what, left, foreign = trial.interrupt(number)
                midway += 0 < left < IMAGES
                if foreign:
                    trial.reject(foreign, what)
                    rejected += 1
                trial.rerun(what)
            print(f"{number.name}: {times} times, {midway} of them with some images done and some not, {rejected} with a "
                  "foreign file in the way")
            check(times < 8 or midway > 0, f"{number.name} never arrived in the middle of the work")


main(*sys.argv[1:])
