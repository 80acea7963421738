"""Several gpuimg processes in one folder: the shards together produce exactly the output of a single run, and two
concurrent runs with --skip-existing never expose a partial file.

usage: side_by_side.py GPUIMG [ROUNDS]
"""
import os
import shutil
import sys
import tempfile

import batch_run
import image_tree
from batch_run import check

IMAGES = 120
SIZE = (331, 257)


class Folders:
    def __init__(self, gpuimg, folder, seed):
        self.gpuimg = gpuimg
        self.source = os.path.join(folder, "in")
        self.target = os.path.join(folder, "out")
        self.folder = folder
        image_tree.write(self.source, IMAGES, SIZE, seed=seed)
        reference = os.path.join(folder, "expected")
        batch_run.expect(0, *self.command("--quiet", target=reference))
        self.expected = batch_run.outputs_of(reference)
        check(len(self.expected) == IMAGES, f"{len(self.expected)} outputs of {IMAGES} images")

    def command(self, *more, target=None):
        return [self.gpuimg, "equalize", self.source, target or self.target, "--recursive", "--backend", "cpu", *more]

    def clear(self):
        shutil.rmtree(self.target, ignore_errors=True)

    def manifest(self, shard):
        return os.path.join(self.folder, f"run-{shard}.jsonl")


def end_all(running):
    return [one.end() for one in running]


def shards_make_the_union(folders, count):
    folders.clear()
    manifests = [folders.manifest(shard) for shard in range(count)]
    for manifest in manifests:
        if os.path.exists(manifest):
            os.remove(manifest)
    running = [
        batch_run.Running(*folders.command("-q", "--shard", f"{shard + 1}/{count}", "--manifest", manifests[shard]))
        for shard in range(count)
    ]
    for ended in end_all(running):
        check(ended.status == 0, f"a shard of {count}: {ended}")
    what = f"{count} shards at once"
    batch_run.check_same(batch_run.outputs_of(folders.target), folders.expected, what)
    check(not batch_run.temporaries_of(folders.target), f"{what}: temporary files are left")
    dealt = [line["output"] for manifest in manifests for line in batch_run.done_lines(manifest)]
    check(len(dealt) == len(set(dealt)) == IMAGES, f"{what}: {len(dealt)} items for {IMAGES} images")
    batch_run.expect(0, folders.gpuimg, "report", *manifests)
    batch_run.expect(1, folders.gpuimg, "report", *manifests[1:])  # without the manifest of one shard, report must fail
    sizes = [len(batch_run.done_lines(manifest)) for manifest in manifests]
    print(f"{what}: exactly the union, dealt as {sizes}")


def same_folder_twice(folders, rounds):
    seen = 0
    for _ in range(rounds):
        folders.clear()
        running = [batch_run.Running(*folders.command("-q", "--skip-existing", "--jobs", "2")) for _ in range(2)]
        while any(os.waitid(os.P_PID, one.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None for one in running):
            visible = batch_run.outputs_of(folders.target)
            batch_run.check_whole(visible, folders.expected, "two runs at once, seen from outside")
            seen += len(visible)
        for ended in end_all(running):
            check(ended.status == 0, f"two runs at once: {ended}")
        batch_run.check_same(batch_run.outputs_of(folders.target), folders.expected, "two runs at once")
        check(not batch_run.temporaries_of(folders.target), "two runs at once: temporary files are left")
    print(f"--skip-existing twice at once, {rounds} rounds: {seen} files seen meanwhile, all complete")


def main(gpuimg, rounds=5):
    batch_run.forget_environment()
    seed = batch_run.seeded_random().randrange(1_000_000)
    with tempfile.TemporaryDirectory(prefix="gpuimg-batch-") as folder:
        folders = Folders(os.path.abspath(gpuimg), folder, seed)
        shards_make_the_union(folders, 2)
        shards_make_the_union(folders, 5)
        same_folder_twice(folders, int(rounds))


main(*sys.argv[1:])
