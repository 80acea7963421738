"""Checks that a batch's memory, descriptors and threads do not grow with the number of files.

usage: flat_resources.py GPUIMG [FILES]     4000
"""
import os
import sys
import tempfile
import time

import batch_run
import image_tree
from batch_run import check

SIZE = (8, 8)
ALLOWED_GROWTH = 6 * 2**20  # from the second quarter of the run to the last
ALLOWED_DESCRIPTORS = 8


class Sample:
    """Samples a running process through /proc."""

    def __init__(self, pid):
        with open(f"/proc/{pid}/status") as file:
            fields = dict(line.rstrip("\n").split(":", 1) for line in file)
        self.resident = int(fields["VmRSS"].split()[0]) * 1024
        self.threads = int(fields["Threads"])
        self.descriptors = len(os.listdir(f"/proc/{pid}/fd"))


def watch(running):
    samples = []
    while os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        try:
            samples.append(Sample(running.pid))
        except (KeyError, FileNotFoundError, PermissionError):
            pass  # it is exiting: a zombie has no memory
        time.sleep(0.005)
    return samples


def most(samples, attribute):
    return max(getattr(sample, attribute) for sample in samples)


def main(gpuimg, files=4000):
    batch_run.forget_environment()
    if not os.path.exists("/proc/self/status"):
        print("SKIPPED: there is no /proc")
        sys.exit(batch_run.SKIPPED)
    files = int(files)
    with tempfile.TemporaryDirectory(prefix="gpuimg-batch-") as folder:
        source, target = os.path.join(folder, "in"), os.path.join(folder, "out")
        image_tree.write(source, files, SIZE)
        running = batch_run.Running(
            os.path.abspath(gpuimg), "equalize", source, target, "--recursive", "-q", "--backend", "cpu",
            "--jobs", "4", "--manifest", os.path.join(folder, "run.jsonl"),
        )
        samples = watch(running)
        ended = running.end()
        check(ended.status == 0, ended)
        check(len(batch_run.files_below(target)) == files, "outputs are missing")
    check(len(samples) >= 8, f"only {len(samples)} samples: use more files")
    quarter = len(samples) // 4
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    print(f"{files} files in {ended.seconds:.1f} s, {files / ended.seconds:.0f} images/s, {len(samples)} samples")
    for attribute in ("resident", "descriptors", "threads"):
        print(f"{attribute}: at most {most(early, attribute)} in the second quarter, {most(late, attribute)} in the last")
    check(most(late, "resident") <= most(early, "resident") + ALLOWED_GROWTH, "memory grows with the number of files")
    check(most(late, "descriptors") <= most(early, "descriptors") + ALLOWED_DESCRIPTORS, "descriptors are not closed")
    check(most(late, "threads") <= most(early, "threads") + 2, "threads are left running")


main(*sys.argv[1:])
