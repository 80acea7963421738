"""Checks that outputs and messages do not depend on uninitialized memory: runs the catalogue of valid and broken files as
batches with several heap fill patterns. The manifest's status of each file must match the catalogue.

usage: same_on_any_heap.py GPUIMG WRITE_CATALOGUE
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import batch_run
from batch_run import check

LEAST_FILES = 900
OPERATIONS = [
    ["equalize", "--output-format", "png"],
    ["hsl", "--output-format", "npy"],
    ["integral", "--output-format", "npy"],
    ["hist", "--output-format", "csv"],
]
# glibc fills allocated memory with the complement of MALLOC_PERTURB_, and freed memory with its value. The address
# sanitizer has its own allocator, configured by malloc_fill_byte. Each ignores the other's setting.
FILLINGS = [None, (85, 170), (170, 85)]
KINDS = {"good": None, "damaged": "decode", "unsupported": "unsupported"}


def environment_of(filling):
    if filling is None:
        return []
    perturb, fill = filling
    options = [os.environ.get("ASAN_OPTIONS"), "max_malloc_fill_size=1000000000", f"malloc_fill_byte={fill}"]
    return [f"MALLOC_PERTURB_={perturb}", "ASAN_OPTIONS=" + ":".join(filter(None, options))]


def without_times(line):
    return re.sub(r'"(ms|mtime_ns)": ({[^}]*}|[0-9]+)', "", line)


def one_run(gpuimg, operation, filling):
    """Exit code, messages, manifest and outputs of one batch in the current folder."""
    command = [gpuimg, *operation, "in", "out/", "--include", "*", "--backend", "cpu", "-q", "--manifest", "run.jsonl"]
    ended = batch_run.Running(*command, prefix=["env", *environment_of(filling)]).end()
    with open("run.jsonl", encoding="utf-8") as file:
        lines = [without_times(line) for line in file]
    # Workers write the lines `begun` as they come to it; the others are in the order of the plan.
    begun = sorted(line for line in lines if '"status": "begun"' in line)
    manifest = [line for line in lines if '"status": "begun"' not in line] + begun
    items = {line["input"]: line for line in batch_run.manifest_lines("run.jsonl")[1:]}
    outputs = batch_run.outputs_of("out")
    shutil.rmtree("out")
    os.remove("run.jsonl")
    streams = {"stdout": ended.stdout, "messages": ended.stderr}
    return {"exit code": ended.status, **streams, "manifest": manifest, "outputs": outputs}, items


def check_verdicts(items, verdicts, what):
    for name, verdict in verdicts.items():
        item = items[os.path.join("in", name)]
        kind = (item.get("error") or {}).get("kind")
        check(kind == KINDS[verdict], f"{what}: {name} is {verdict}, and failed with {kind}")
        backend = "cpu" if verdict == "good" else None  # refused files reach no backend
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
            for filling in FILLINGS:
                what = f"{operation[0]} on {'the default heap' if filling is None else f'a heap filled with {filling[1]}'}"
                found, items = one_run(gpuimg, operation, filling)
                check_verdicts(items, verdicts, what)
                check(len(found["outputs"]) == good, f"{what}: {len(found['outputs'])} outputs of {good} good files")
                expected = expected or found
                for part, value in found.items():
                    check(value == expected[part], f"{what}: {part} differ:\n{differences(expected[part], value)}")
            print(f"{operation[0]}: {good} outputs and {len(verdicts) - good} refusals, the same on {len(FILLINGS)} heaps")
        os.chdir("/")


def differences(expected, found):
    if isinstance(expected, str):
        expected, found = expected.splitlines(), found.splitlines()
    if isinstance(expected, dict):
        return [path for path in expected if found.get(path) != expected[path]][:10]
    if isinstance(expected, list):
        return [pair for pair in zip(expected, found) if pair[0] != pair[1]][:5]
    return expected, found


main(*sys.argv[1:])
