"""Checks that outputs and messages do not depend on uninitialized memory: runs the catalogue of valid and broken files
as batches, with several heap fillings. The manifest's status of each file must match the catalogue.

usage: same_on_any_heap.py GPUIMG WRITE_CATALOGUE
"""
import os
import subprocess
import sys
import tempfile

import batch_run
from batch_run import check
from heap_fillings import FILLINGS, differences, run_of_batch

LEAST_FILES = 900
OPERATIONS = [
    ["equalize", "--output-format", "png"],
    ["hsl", "--output-format", "npy"],
    ["integral", "--output-format", "npy"],
    ["hist", "--output-format", "csv"],
]
KINDS = {"good": None, "damaged": "decode", "unsupported": "unsupported"}


def check_verdicts(items, verdicts, what):
    for name, verdict in verdicts.items():
        item = items[os.path.join("in", name)]
        kind = (item.get("error") or {}).get("kind")
        check(kind == KINDS[verdict], f"{what}: {name} is {verdict}, and failed with {kind}")
        backend = "cpu" if verdict == "good" else None  # rejected files reach no backend
        check(item["backend"] == backend, f"{what}: {name} is {verdict}, and its backend {item['backend']}")
    check(len(items) == len(verdicts), f"{what}: {len(items)} items for {len(verdicts)} files")


def main(gpuimg, write_catalogue):
    batch_run.forget_environment()
    gpuimg = os.path.abspath(gpuimg)
    write_catalogue = os.path.abspath(write_catalogue)
    with tempfile.TemporaryDirectory(prefix="gpuimg-heap-") as folder:
        os.chdir(folder)
        os.mkdir("in")
        listed = subprocess.run([write_catalogue, "in"], check=True, capture_output=True, text=True).stdout
        verdicts = dict(line.split("\t") for line in listed.splitlines())
        check(len(verdicts) >= LEAST_FILES, f"{len(verdicts)} files in the catalogue, not {LEAST_FILES}")
        good = sum(verdict == "good" for verdict in verdicts.values())
        for operation in OPERATIONS:
            expected = None
            for filling in [None, *FILLINGS]:
                what = f"{operation[0]} on {'the default heap' if filling is None else f'a heap filled with {filling[1]}'}"
                found, items = run_of_batch(gpuimg, operation, filling)
                check_verdicts(items, verdicts, what)
                check(len(found["outputs"]) == good, f"{what}: {len(found['outputs'])} outputs of {good} good files")
                expected = expected or found
                for part, value in found.items():
                    check(value == expected[part], f"{what}: {part} differ:\n{differences(expected[part], value)}")
            print(f"{operation[0]}: {good} outputs and {len(verdicts) - good} rejections, the same on {1 + len(FILLINGS)} heaps")
        os.chdir("/")


main(*sys.argv[1:])
