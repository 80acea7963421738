"""What a worker does with a shard, a tar archive of images: it processes each, and writes a tar archive of the results.

The same shard gives the same bytes on every machine and in every run: members keep their order, and their headers say
nothing about the time, the user or the host. A result is written under a temporary name and renamed once it is whole.
So any shard may be repeated, also while its first run has not ended.
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
# A bad image is left out and named. Everything else that goes wrong is no fault of the image: the shard is not written.
OF_IMAGE = {"check_failed", "decode", "unsupported", "usage"}
MEMBERS_AT_ONCE = 256  # each is an open file
LOST_DEVICE = 5  # exit code, as of the command line


def is_image(member):
    name = os.path.basename(member.name)
    return member.isreg() and not name.startswith(".") and os.path.splitext(name)[1].lower() in IMAGES


def members_of(path):
    """Pairs of a member and a file with its content, None for a folder or a symbolic link.

    The files have no names, so that a killed worker leaves none. A hard link is given as a file with the content of its
    target, because the result of the target may have another name or be missing. Raises tarfile.TarError for a damaged
    archive; tarfile itself takes damage between members for the end.
    """
    places = {}
    with open(path, "rb") as file:
        with tarfile.open(fileobj=file, mode="r:", encoding="utf-8", errors="surrogateescape") as archive:
            while (member := archive.next()) is not None:
                content = None
                if member.islnk():
                    place = places.get(os.path.normpath(member.linkname))
                    if not place:
                        raise tarfile.ReadError(f"{member.name} is a hard link, but its target {member.linkname} is not "
                                                "in front of it; pack the archive again")
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
                archive.members.clear()  # which would grow with the archive
            file.seek(archive.offset)
            if file.read(512) != bytes(512):
                raise tarfile.ReadError(f"it is damaged or cut off at byte {archive.offset}; copy it again")


def chunks_of(path):
    """Lists of members, as of members_of(). The files of one are closed when the next is asked for."""
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
    """Results of function(item), computed on threads, at most `ahead` of them at a time."""
    waiting = collections.deque()
    for item in items:
        waiting.append(pool.submit(function, item))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


@dataclasses.dataclass(frozen=True)
class Shards:
    """Called with the path of a shard; returns what became of it, as JSON has it."""

    out: str  # a folder that all workers see
    steps: str  # as on the command line: "equalize --then resize --size 50%"
    to: str = "png"
    device: str = "cpu"
    workers: int = 1  # threads
    run: str = dataclasses.field(default_factory=lambda: secrets.token_hex(6))  # tells its temporary files from others

    def check_device(self):
        """Raises gpuimg.Error if the device computes nothing."""
        gpuimg.from_array(memoryview(bytes(1)).cast("B", (1, 1)), device=self.device).flip("horizontal")

    def part_of(self, name):
        """A new temporary name for this result."""
        return os.path.join(self.out, f".{name}.{os.getpid()}-{secrets.token_hex(4)}.{self.run}.part")

    @contextlib.contextmanager
    def tidied(self):
        """Removes the temporary files that lost workers of this run have left, at the end and after an exception."""
        try:
            yield
        finally:
            for part in glob.glob(os.path.join(glob.escape(self.out), f".*.{self.run}.part")):
                with contextlib.suppress(FileNotFoundError):  # its worker was not lost, and has renamed or removed it
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
            # The driver serves this process no longer. The engine starts another worker and repeats the shard.
            print(f"{member.name}: {error}", file=sys.stderr, flush=True)
            os._exit(LOST_DEVICE)
        if error.kind not in OF_IMAGE:
            raise error
        told["failed"].append({"name": member.name, "kind": error.kind,
                               "message": str(error).replace(file, member.name)})


def arguments(description):
    """A parser with the options of every engine."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("shards", metavar="IN", help="a folder of tar archives that all workers see")
    parser.add_argument("out", metavar="OUT", help="a folder for the results")
    parser.add_argument("--steps", default="equalize", help="as on the command line, separated by --then [equalize]")
    parser.add_argument("--to", default="png", help="the format of the results [png]")
    parser.add_argument("--workers", type=int, default=2, help="processes that work on shards [2]")
    parser.add_argument("--cpus", type=int, default=1, help="threads of each worker [1]")
    parser.add_argument("--gpus", action="store_true", help="give each worker a GPU of its own")
    parser.add_argument("--restarts", type=int, default=3, help="how many workers a shard may lose; then the run ends [3]")
    parser.add_argument("--skip-existing", action="store_true", help="leave out shards whose results exist")
    return parser


def plan(asked):
    """The work, and the shards that wait for it. Ends the program if a result exists, without --skip-existing."""
    gpuimg.chain(asked.steps)  # rejects wrong words here, not on every worker
    work = Shards(os.path.abspath(asked.out), asked.steps, asked.to, "cuda" if asked.gpus else "cpu", asked.cpus)
    os.makedirs(work.out, exist_ok=True)
    shards = sorted(os.path.abspath(path) for path in glob.glob(os.path.join(glob.escape(asked.shards), "*.tar")))
    if not shards:
        sys.exit(f"{asked.shards}: no *.tar is here")
    done = {path for path in shards if os.path.lexists(os.path.join(work.out, os.path.basename(path)))}
    if done and not asked.skip_existing:
        first = os.path.basename(min(done))
        sys.exit(f"{asked.out}: holds {first} already; add --skip-existing, or name another folder")
    return work, [path for path in shards if path not in done]


def report(rows):
    """Prints a line for each shard. Returns the exit code."""
    for row in sorted(rows, key=lambda row: row["shard"]):
        print(json.dumps(row))
    return 1 if any("error" in row or row["failed"] for row in rows) else 0
