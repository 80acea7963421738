"""The work on a shard, a tar archive of images: a worker processes each image and writes a tar archive of the results.

A shard gives equal bytes on every machine and in every run: members keep their order, and their headers contain no
time, user or host. A result is written under a temporary name, and renamed once it is complete. So a shard can be
processed again at any time, even while its first run has not ended.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import dataclasses
import glob
import io
import json
import os
import secrets
import sys
import tarfile
import tempfile

import gpuimg

IMAGES = {".avif", ".bmp", ".gif", ".heic", ".heif", ".jpeg", ".jpg", ".pbm", ".pgm", ".png", ".pnm", ".ppm", ".psd",
          ".tga", ".tif", ".tiff", ".webp"}
# Errors of an image: the image is left out and listed. After any other error, the shard's result is not written.
OF_IMAGE = {"check_failed", "decode", "unsupported", "usage"}
MEMBERS_AT_ONCE = 256  # each is an open file
LOST_DEVICE = 5  # the command line's exit code for a lost device


def is_image(member):
    name = os.path.basename(member.name)
    return member.isreg() and not name.startswith(".") and os.path.splitext(name)[1].lower() in IMAGES


def members_of(path):
    """Yields pairs of a member and a file with its content, or None for a folder or a symbolic link.

    The files have no names, so that a killed worker leaves no files. A hard link becomes a file with the content of its
    target, because the result of the target may have another name or be missing. Raises tarfile.TarError for a damaged
    archive. tarfile itself would treat damage between members as the end of the archive.
    """
    places = {}
    with open(path, "rb") as file:
        with tarfile.open(fileobj=file, mode="r:", encoding="utf-8", errors="surrogateescape") as archive:
            while (member := archive.next()) is not None:
                content = None
                if member.islnk():
                    place = places.get(os.path.normpath(member.linkname))
                    if not place:
                        raise tarfile.ReadError(f"{member.name} is a hard link, but its target {member.linkname} does not "
                                                "precede it; pack the archive again")
                    member.type, member.linkname = tarfile.REGTYPE, ""
                    member.offset_data, member.size, member.sparse = place
                if member.isreg():
                    places[os.path.normpath(member.name)] = member.offset_data, member.size, member.sparse
                    content = tempfile.TemporaryFile()
                    data = archive.extractfile(member)
                    while block := data.read(1 << 20):
                        content.write(block)
                    content.flush()
                yield member, content
                archive.members.clear()  # otherwise this list would grow with the archive
            file.seek(archive.offset)
            if file.read(512) != bytes(512):
                raise tarfile.ReadError(f"it is damaged or cut off at byte {archive.offset}; copy it again")


def chunks_of(path):
    """Yields lists of the pairs of members_of(). Closes the files of a list when the next list is requested."""
    chunk = []
    try:
        for pair in members_of(path):
            chunk.append(pair)
            if len(chunk) == MEMBERS_AT_ONCE:
                yield chunk
                close(chunk)
        yield chunk
    finally:
        close(chunk)


def close(chunk):
    for _, content in chunk:
        if content:
            content.close()
    chunk.clear()


def add(archive, member, name, content, size):
    plain = tarfile.TarInfo(name)
    plain.type = tarfile.REGTYPE if content else member.type
    plain.linkname, plain.size = member.linkname, size
    plain.mode = 0o755 if member.isdir() else 0o644
    archive.addfile(plain, content)


def in_order(pool, function, items, ahead):
    """Yields the results of function(item) in order. Computes them on threads, at most `ahead` results at a time."""
    waiting = collections.deque()
    for item in items:
        waiting.append(pool.submit(function, item))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


@dataclasses.dataclass(frozen=True)
class Shards:
    """A function that processes the shard at a path. Returns a report that can be written as JSON."""

    out: str  # a folder that all workers see
    steps: str  # as on the command line: "equalize --then resize --size 50%"
    to: str = "png"
    device: str = "cpu"
    workers: int = 1  # threads
    run: str = dataclasses.field(default_factory=lambda: secrets.token_hex(6))  # part of temporary names

    def check_device(self):
        """Raises gpuimg.Error if the device does not work."""
        gpuimg.from_array(memoryview(bytes(1)).cast("B", (1, 1)), device=self.device).flip("horizontal")

    def part_of(self, name):
        """A new temporary name for this result."""
        return os.path.join(self.out, f".{name}.{os.getpid()}-{secrets.token_hex(4)}.{self.run}.part")

    @contextlib.contextmanager
    def tidied(self):
        """At the end, and after an exception, removes temporary files that lost workers of this run have left."""
        try:
            yield
        finally:
            for part in glob.glob(os.path.join(glob.escape(self.out), f".*.{self.run}.part")):
                with contextlib.suppress(FileNotFoundError):  # a worker that was not lost has renamed or removed it
                    os.remove(part)

    def __call__(self, path):
        name = os.path.basename(path)
        told = {"shard": name, "images": 0, "failed": []}
        part = self.part_of(name)
        try:
            with open(part, "xb") as file:
                with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT, encoding="utf-8",
                                  errors="surrogateescape") as archive:
                    self.fill(archive, path, told)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, os.path.join(self.out, name))
        except tarfile.TarError as error:
            told = {"shard": name, "error": str(error)}
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.remove(part)
        return told

    def fill(self, archive, path, told):
        steps, names = gpuimg.chain(self.steps), set()
        with concurrent.futures.ThreadPoolExecutor(self.workers) as pool:
            for chunk in chunks_of(path):
                self.add_chunk(archive, chunk, names, steps, pool, told)

    def add_chunk(self, archive, chunk, names, steps, pool, told):
        files = [f"/proc/self/fd/{content.fileno()}" for member, content in chunk if is_image(member)]
        items = gpuimg.read_many(files, device=self.device, workers=self.workers, then=steps)
        encoded = in_order(pool, self.encode, items, 2 * self.workers)
        for member, content in chunk:
            if is_image(member):
                data, error, file = next(encoded)
                if error:
                    self.reject(member, error, file, told)
                else:
                    name = os.path.splitext(member.name)[0] + "." + self.to
                    if name in names:
                        raise tarfile.TarError(f"two images would be named {name}; rename one")
                    names.add(name)
                    add(archive, member, name, io.BytesIO(data), len(data))
                    told["images"] += 1
            else:
                if content:
                    content.seek(0)
                add(archive, member, member.name, content, member.size if content else 0)

    def encode(self, item):
        try:
            return item.image.encode(self.to) if item.image else None, item.error, item.path
        except gpuimg.Error as error:
            return None, error, item.path

    @staticmethod
    def reject(member, error, file, told):
        if error.kind == "device_fault":
            # The device can no longer be used in this process. Dask or Ray starts another worker and repeats the shard.
            print(f"{member.name}: {error}", file=sys.stderr, flush=True)
            os._exit(LOST_DEVICE)
        if error.kind not in OF_IMAGE:
            raise error
        told["failed"].append({"name": member.name, "kind": error.kind,
                               "message": str(error).replace(file, member.name)})


def arguments(description):
    """A parser with the options that both scripts share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("shards", metavar="IN", help="a folder of tar archives that all workers see")
    parser.add_argument("out", metavar="OUT", help="a folder for the results")
    parser.add_argument("--steps", default="equalize", help="as on the command line, separated by --then [equalize]")
    parser.add_argument("--to", default="png", help="the format of the results [png]")
    parser.add_argument("--workers", type=int, default=2, help="processes that work on shards [2]")
    parser.add_argument("--cpus", type=int, default=1, help="threads of each worker [1]")
    parser.add_argument("--gpus", action="store_true", help="give each worker a GPU of its own")
    parser.add_argument("--restarts", type=int, default=3, help="how many workers a shard may lose; then the run ends [3]")
    parser.add_argument("--skip-existing", action="store_true", help="skip shards whose results exist")
    return parser


def plan(asked):
    """Returns the Shards object, and the paths of the shards to process. Ends the program if a result exists, unless
    --skip-existing is given."""
    gpuimg.chain(asked.steps)  # reports wrong steps here instead of on every worker
    work = Shards(os.path.abspath(asked.out), asked.steps, asked.to, "cuda" if asked.gpus else "cpu", asked.cpus)
    os.makedirs(work.out, exist_ok=True)
    shards = sorted(os.path.abspath(path) for path in glob.glob(os.path.join(glob.escape(asked.shards), "*.tar")))
    if not shards:
        sys.exit(f"{asked.shards}: contains no .tar file; name the folder of the archives")
    done = {path for path in shards if os.path.lexists(os.path.join(work.out, os.path.basename(path)))}
    if done and not asked.skip_existing:
        first = os.path.basename(min(done))
        sys.exit(f"{asked.out}: already contains {first}; add --skip-existing, or name another folder")
    return work, [path for path in shards if path not in done]


def report(rows):
    """Prints a line for each shard. Returns the exit code."""
    for row in sorted(rows, key=lambda row: row["shard"]):
        print(json.dumps(row))
    return 1 if any("error" in row or row["failed"] for row in rows) else 0
