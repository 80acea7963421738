"""A large batch: small and large real images in nested folders, names with spaces and several scripts, five broken files.
One command must name the five broken files, stay below --max-memory, and finish within seconds when repeated.

usage: large_trial.py GPUIMG PHOTOS [--small 2000] [--large 60] [--max-memory BYTES] [--jobs N] [--folder FOLDER]
PHOTOS is a folder tree with real PNG and JPEG files. The largest ones are copied; the small images are cut from them.
"""
import argparse
import importlib.util
import multiprocessing
import os
import random
import re
import shutil
import tempfile

import batch_run
import image_tree
from batch_run import check

BROKEN = 5
QUICK_SECONDS = 15


def photos_below(folder):
    """Photographs, largest file first."""
    paths = [os.path.join(folder, path) for path in batch_run.files_below(folder)]
    photos = [path for path in paths if path.lower().endswith((".png", ".jpg", ".jpeg"))]
    check(photos, f"{folder} contains no PNG or JPEG file")
    return sorted(photos, key=lambda path: (-os.path.getsize(path), path))


def path_for(folder, index, extension):
    relative = os.path.splitext(image_tree.relative_path(index))[0] + extension
    os.makedirs(os.path.join(folder, os.path.dirname(relative)), exist_ok=True)
    return os.path.join(folder, relative)


def copy_large(photos, folder, count):
    for index in range(count):
        photo = photos[index % len(photos)]
        shutil.copyfile(photo, path_for(folder, index, os.path.splitext(photo)[1]))


def cut_small(photos, folder, first, count, seed):
    """Crops of 48 to 320 pixels per side, alternating PNG and JPEG."""
    from PIL import Image

    pick = random.Random(seed)
    for turn, photo in enumerate(photos):
        with Image.open(photo) as opened:
            whole = opened.convert("RGB")
        for index in range(first + turn, first + count, len(photos)):
            width = min(pick.randint(48, 320), whole.width)
            height = min(pick.randint(48, 320), whole.height)
            left = pick.randint(0, whole.width - width)
            top = pick.randint(0, whole.height - height)
            crop = whole.crop((left, top, left + width, top + height))
            crop.save(path_for(folder, index, ".png" if index % 2 else ".jpg"))


def apart(work, *arguments):
    """Runs work() in a child process, because gpuimg would inherit the peak memory of the calling process."""
    process = multiprocessing.get_context("fork").Process(target=work, args=arguments)
    process.start()
    process.join()
    check(process.exitcode == 0, f"{work.__name__} ended with {process.exitcode}")


def break_some(folder, first):
    good = image_tree.make_image.noise_png((200, 150))
    names = []
    for index, content in enumerate(image_tree.broken_files(good, (200, 150))):
        path = path_for(folder, first + index, ".png")
        with open(path, "wb") as file:
            file.write(content)
        names.append(os.path.basename(path))
    return names


def describe(ended, what):
    print(
        f"{what}: exit {ended.status}, {ended.seconds:.2f} s, CPU {ended.cpu_seconds:.2f} s, "
        f"peak {ended.peak_bytes / 1e6:.0f} MB: {last_line(ended)}"
    )


def last_line(ended):
    found = re.findall(r"^.*\d done, .*$", ended.stderr + ended.stdout, re.MULTILINE)
    return found[-1].strip() if found else ""


def counts_of(ended):
    """(done, failed, skipped) from the summary line."""
    found = re.search(r"([\d,]+) done, ([\d,]+) failed, ([\d,]+) skipped", last_line(ended))
    check(found, f"no line '… done, … failed, … skipped': {ended}")
    return tuple(int(number.replace(",", "")) for number in found.groups())


def check_names(text, broken):
    for name in broken:
        check(name in text, f"{name!r} is not named: {text}")


def trial(options, folder):
    source, target, manifest = (os.path.join(folder, name) for name in ("in", "out", "run.jsonl"))
    total = options.small + options.large
    command = [options.gpuimg, "equalize", source, target, "--recursive", "--backend", "cpu", "--progress", "never"]
    command += ["--max-memory", options.max_memory]
    command += ["--jobs", options.jobs] if options.jobs else []

    first = batch_run.run(*command, "--manifest", manifest)
    describe(first, "first run")
    check(first.status == 1, f"expected exit 1: {first}")
    check(counts_of(first) == (total, BROKEN, 0), f"{total} done and {BROKEN} failed expected: {first}")
    check_names(first.stderr + first.stdout, options.broken)
    check(first.peak_bytes <= options.max_memory, f"peak {first.peak_bytes} is above --max-memory {options.max_memory}")
    outputs = batch_run.outputs_of(target)
    check(len(outputs) == total, f"{len(outputs)} outputs, {total} expected")

    for how in (["--skip-existing"], ["--manifest", manifest, "--resume", manifest], ["--retry-failed", manifest]):
        again = batch_run.run(*command, *how)
        describe(again, f"again with {how[-1] if len(how) == 1 else how[-2]}")
        check(again.status == 1, f"expected exit 1: {again}")
        check_names(again.stderr + again.stdout, options.broken)
        check(again.seconds < QUICK_SECONDS, f"{again.seconds:.1f} s for nothing but {BROKEN} failures")
        check(batch_run.outputs_of(target) == outputs, "outputs changed")
    report = batch_run.expect(1, options.gpuimg, "report", manifest)
    check_names(report.stdout + report.stderr, options.broken)
    check(not batch_run.temporaries_of(target), "temporary files are left")


def main():
    parser = argparse.ArgumentParser(description="A large batch")
    parser.add_argument("gpuimg", type=os.path.abspath)
    parser.add_argument("photos")
    parser.add_argument("--small", type=int, default=2000)
    parser.add_argument("--large", type=int, default=60)
    parser.add_argument("--max-memory", type=int, default=1_000_000_000)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--folder", help="where to create the test folders")
    options = parser.parse_args()
    if not importlib.util.find_spec("PIL"):
        print("SKIPPED: Python module PIL is not installed")
        raise SystemExit(batch_run.SKIPPED)
    batch_run.forget_environment()
    pick = batch_run.seeded_random()
    with tempfile.TemporaryDirectory(prefix="gpuimg-trial-", dir=options.folder) as folder:
        source = os.path.join(folder, "in")
        photos = photos_below(options.photos)
        copy_large(photos, source, options.large)
        apart(cut_small, photos, source, options.large, options.small, pick.random())
        options.broken = break_some(source, options.large + options.small)
        size = sum(os.path.getsize(os.path.join(source, path)) for path in batch_run.files_below(source))
        print(f"{options.large} large and {options.small} small images, {BROKEN} broken, {size / 1e6:.0f} MB", flush=True)
        trial(options, folder)


main()
