#!/usr/bin/env python3
"""Reads every prefix of other projects' small images: each must be rejected, or give the pixels of the whole file.

usage: every_prefix.py GPUIMG MAX_BYTES FOLDER...

tests/live/debian_test_images fetches such folders. One run over a folder reads all prefixes of all different files of up
to MAX_BYTES. Damaged files are included; their prefixes must be rejected. The exit code is 1 if a prefix differs.
"""
import hashlib
import os
import subprocess
import sys
import tempfile

from compare_test_images import EXTENSIONS

WHOLE = "whole"


def small_files(folders, max_bytes):
    """(extension, content) of each different file."""
    found = {}
    for folder in folders:
        for path, _, names in os.walk(folder):
            for name in sorted(names):
                file = os.path.join(path, name)
                extension = name.rsplit(".", 1)[-1].lower()
                if "." in name and extension in EXTENSIONS and os.path.getsize(file) <= max_bytes:
                    with open(file, "rb") as content:
                        whole = content.read()
                    found.setdefault(hashlib.sha256(whole).hexdigest(), (extension, whole))
    return found


def write_prefixes(files, to):
    for digest, (extension, whole) in files.items():
        os.makedirs(os.path.join(to, digest))
        for size in range(len(whole) + 1):
            name = WHOLE if size == len(whole) else f"{size:06}"
            with open(os.path.join(to, digest, f"{name}.{extension}"), "wb") as out:
                out.write(whole[:size])


def content_of(file):
    with open(file, "rb") as opened:
        return opened.read()


def main():
    executable, max_bytes, *folders = sys.argv[1:]
    files = small_files(folders, int(max_bytes))
    prefixes = sum(len(whole) for _, whole in files.values())
    read = different = 0
    with tempfile.TemporaryDirectory(prefix="gpuimg-prefixes-") as work:
        write_prefixes(files, os.path.join(work, "in"))
        done = subprocess.run([executable, "equalize", "-q", "-r", "--strength", "0", "--format", "pam", work + "/in",
                               work + "/out"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode not in (0, 1):
            sys.exit(f"gpuimg ended with {done.returncode}")
        for folder, _, names in os.walk(work + "/out"):
            whole = content_of(f"{folder}/{WHOLE}.pam") if WHOLE + ".pam" in names else None
            for name in sorted(set(names) - {WHOLE + ".pam"}):
                read += 1
                if content_of(os.path.join(folder, name)) != whole:
                    different += 1
                    print("differs from the whole file:", os.path.basename(folder), name)
    print(f"{len(files)} files, {prefixes} prefixes: {prefixes - read} rejected, {read - different} read as the whole file, "
          f"{different} different")
    sys.exit(1 if different or not prefixes else 0)


if __name__ == "__main__":
    main()
