"""Checks that damaged files never expose old contents of memory. Damages files of each format that a library decodes,
and decodes them alone and in batches of 20, each on two heap fillings. Outputs and messages must be the same in all
four cases.

usage: mutants_on_any_heap.py GPUIMG WRITE_CATALOGUE SAMPLES [--mutants N] [--formats png,jpg,tif,webp,heic,avif]
    N is the number of mutants of each format (default 20).

The seeds are catalogue files, and larger files that gpuimg and heif-enc make from SAMPLES.
"""
import argparse
import concurrent.futures
import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

import batch_run
from batch_run import check
from heap_fillings import FILLINGS, differences, environment_of, run_of_batch

BATCH = 20
OPERATION = ["equalize", "--strength", "0"]
PNM = "pam"  # can hold pixels of every format
MOST_BYTES = 200_000  # maximum size of a seed
MOST_SEEDS = 60  # maximum number of catalogue files per format
PHOTOS = ["landscape.png", "night.png", "logo.png", "radiograph.png"]
# Arguments of heif-enc, which is not installed everywhere. By default, x265 codes rows of blocks independently (wpp).
HEIF_ENC = {
    "heic": [["-q", "30"], ["-q", "60", "-p", "x265:wpp=0"], ["-L", "-p", "x265:ctu=16"], ["-q", "40", "-p", "x265:slices=3"]],
    "avif": [["-A", "-q", "30", "-p", "speed=9"]],
}
MADE_BY_GPUIMG = {
    "png": [["--png-level", "1"], ["--depth", "16"]],
    "jpg": [["--quality", "80"], ["--subsampling", "444"]],
    "tif": [[]],
    "webp": [["--quality", "60"], ["--lossless"]],
}


# Seeds


def seeds_of(kind, verdicts, samples, gpuimg, random):
    # The catalogue has few valid HEVC files; files with one flipped bit are equally useful as seeds.
    names = [name for name, verdict in verdicts.items() if verdict == "good" or kind == "heic"]
    seeds = [read(os.path.join("catalogue", name)) for name in names if name.endswith("." + kind)]
    seeds = [seed for seed in seeds if len(seed) > 100]
    seeds = random.sample(seeds, min(MOST_SEEDS, len(seeds)))
    for number, photo in enumerate(PHOTOS):
        source = os.path.join(samples, photo)
        for options in MADE_BY_GPUIMG.get(kind, []):
            made = f"made{number}.{kind}"
            command = [gpuimg, *OPERATION, "-qf", "--backend", "cpu", *options, source, made]
            if batch_run.run(*command).status == 0:  # not every format holds alpha, or 16 bits
                seeds.append(read(made))
        for options in HEIF_ENC.get(kind, []) if shutil.which("heif-enc") else []:
            made = f"made{number}.{kind}"
            if subprocess.run(["heif-enc", *options, source, "-o", made], capture_output=True).returncode == 0:
                seeds.append(read(made))
    seeds = [seed for seed in seeds if len(seed) < MOST_BYTES]
    random.shuffle(seeds)
    return seeds


def read(path):
    with open(path, "rb") as file:
        return file.read()


# Mutants


def image_data_of(kind, data):
    """The range of bytes that consists mostly of compressed data."""
    marks = {"heic": b"mdat", "avif": b"mdat", "webp": b"VP8", "jpg": b"\xff\xda", "png": b"IDAT"}
    begin = data.find(marks[kind]) + 8 if kind in marks else len(data) // 8
    return (begin, len(data)) if 8 <= begin < len(data) - 1 else (0, len(data))


def mutant(kind, data, random):
    if kind == "png" and random.random() < 0.5:
        return damaged_png(data, random)
    begin, end = image_data_of(kind, data) if random.random() < 0.8 else (0, len(data))
    changed = bytearray(data)
    changed[begin:end] = damaged(bytes(changed[begin:end]), random)
    return bytes(changed) if kind != "png" else with_checksums(changed)


def damaged(data, random):
    """Damages data without changing its length, because most formats check the length first."""
    changed = bytearray(data)
    how = random.randrange(8)
    at = random.randrange(len(changed))
    length = random.randint(1, max(1, min(len(changed) - at, len(changed) // 8)))
    if how < 3:
        changed[at] ^= 1 << random.randrange(8)
    elif how < 5:
        for _ in range(random.randint(1, 6)):
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    elif how == 5:
        for _ in range(random.randint(1, 4)):
            changed[random.randrange(len(changed))] = random.randrange(256)
    elif how == 6:  # removes bytes, moves the following bytes forward, and pads the end
        del changed[at : at + length]
        changed += bytes(random.choice((0, 255)) for _ in range(length))
    else:
        changed[at : at + length] = bytes([random.choice((0, 255))]) * length
    return bytes(changed)


def png_chunks(data):
    """[name, content] of each chunk, up to the first incomplete one."""
    chunks = []
    at = 8
    while at + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        if at + 12 + length > len(data):
            break
        chunks.append([bytes(data[at + 4 : at + 8]), bytes(data[at + 8 : at + 8 + length])])
        at += 12 + length
    return chunks


def png_of(chunks):
    parts = [b"\x89PNG\r\n\x1a\n"]
    for name, content in chunks:
        parts += [struct.pack(">I", len(content)), name, content, struct.pack(">I", zlib.crc32(name + content))]
    return b"".join(parts)


def with_checksums(data):
    """Repairs a PNG's checksums, so that they do not reveal the damage. Damage to the structure stays."""
    whole = png_of(png_chunks(data))
    return whole + bytes(data[len(whole) :])


def damaged_png(data, random):
    """Damages the filtered rows and compresses them again, or damages one chunk's content; checksums are correct."""
    chunks = png_chunks(data)
    places = [i for i, (name, _) in enumerate(chunks) if name == b"IDAT"]
    try:
        rows = zlib.decompress(b"".join(chunks[i][1] for i in places))
    except zlib.error:
        rows = b""
    if rows and random.random() < 0.7:
        chunks[places[0]][1] = zlib.compress(damaged(rows, random)[: len(rows) - random.choice((0, 0, 1, 9))], 1)
        chunks = [chunk for i, chunk in enumerate(chunks) if i not in places[1:]]
    elif chunks:
        chunk = random.choice(chunks)
        chunk[1] = damaged(chunk[1], random) if chunk[1] else b"\0"
    return png_of(chunks)


# Runs


def result_alone(gpuimg, name, filling):
    """Exit code, pixels and messages for one file."""
    command = ["env", *environment_of(filling), gpuimg, *OPERATION, "--backend", "cpu", "--format", PNM]
    ended = subprocess.run([*command, os.path.join("in", name), "-"], capture_output=True, stdin=subprocess.DEVNULL)
    messages = [line for line in ended.stderr.decode(errors="replace").splitlines() if line.startswith("gpuimg: ")]
    return ended.returncode, hashlib.sha256(ended.stdout).hexdigest(), messages


def error_alone(result):
    _, _, messages = result
    errors = [line for line in messages if line.startswith("gpuimg: error: ")]
    return re.sub("^gpuimg: error: ", "", errors[0]) if errors else None


def check_mutants(gpuimg, kind, mutants, keep):
    """Returns the number of rejected mutants."""
    shutil.rmtree("in", ignore_errors=True)
    os.mkdir("in")
    names = []
    for number, data in enumerate(mutants):
        names.append(f"{number:02}.{kind}")
        with open(os.path.join("in", names[-1]), "wb") as file:
            file.write(data)

    def fail(name, what):
        shutil.copy(os.path.join("in", name), os.path.join(keep, f"difference.{kind}"))
        check(False, f"{what}; the mutant is kept as {os.path.join(keep, 'difference.' + kind)}")

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        alone = [list(pool.map(lambda name: result_alone(gpuimg, name, filling), names)) for filling in FILLINGS]
    for name, one, other in zip(names, *alone):
        if one != other:
            fail(name, f"{name} alone: {one} and {other} on two heaps")
        if one[0] not in (0, 3):
            fail(name, f"{name} alone: {one}")
    batches = [run_of_batch(gpuimg, [*OPERATION, "--output-format", PNM], filling) for filling in FILLINGS]
    (one, items), (other, _) = batches
    for part in one:
        # dav1d prints its own messages, in any order.
        if part != "messages" and one[part] != other[part]:
            fail(names[0], f"{kind}, in a batch: {part} differ: {differences(one[part], other[part])}")
    for name, result in zip(names, alone[0]):
        item = items[os.path.join("in", name)]
        error = (item.get("error") or {}).get("message")
        if (result[0] == 0) != (item["status"] == "done"):
            fail(name, f"{name}: {result} alone, {item} in a batch")
        if error is not None and error_alone(result) != error:
            fail(name, f"{name}: {error_alone(result)!r} alone, {error!r} in a batch")
        if error is None and one["outputs"][f"{os.path.splitext(name)[0]}.{PNM}"] != result[1]:
            fail(name, f"{name}: other pixels in a batch than alone")
    return sum(result[0] != 0 for result in alone[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpuimg")
    parser.add_argument("write_catalogue")
    parser.add_argument("samples")
    parser.add_argument("--mutants", type=int, default=BATCH)
    parser.add_argument("--formats", default="png,jpg,tif,webp,heic,avif")
    arguments = parser.parse_args()
    batch_run.forget_environment()
    random = batch_run.seeded_random()
    gpuimg = os.path.abspath(arguments.gpuimg)
    samples = os.path.abspath(arguments.samples)
    write_catalogue = os.path.abspath(arguments.write_catalogue)
    keep = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="gpuimg-mutants-") as folder:
        os.chdir(folder)
        os.mkdir("catalogue")
        listed = subprocess.run([write_catalogue, "catalogue"], check=True, capture_output=True, text=True).stdout
        verdicts = dict(line.split("\t") for line in listed.splitlines())
        for kind in arguments.formats.split(","):
            seeds = seeds_of(kind, verdicts, samples, gpuimg, random)
            if not seeds:
                print(f"{kind}: no files of it here")
                continue
            rejected = 0
            for first in range(0, arguments.mutants, BATCH):
                count = min(BATCH, arguments.mutants - first)
                mutants = [mutant(kind, random.choice(seeds), random) for _ in range(count)]
                rejected += check_mutants(gpuimg, kind, mutants, keep)
            print(f"{kind}: {arguments.mutants} mutants of {len(seeds)} files, {rejected} rejected; no difference", flush=True)
        os.chdir("/")


main()
