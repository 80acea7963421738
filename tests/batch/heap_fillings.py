"""Shared by the tests for uninitialized memory: runs gpuimg on a heap filled with a given byte, and collects all
visible results of the run."""
import os
import re
import shutil

import batch_run

# glibc fills allocated memory with the complement of MALLOC_PERTURB_, and freed memory with its value. The address
# sanitizer has its own allocator, which malloc_fill_byte configures. Each allocator ignores the other's setting.
FILLINGS = [(85, 170), (170, 85)]

KNOWN_LEAKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lsan.supp")


def environment_of(filling):
    """Arguments for `env`; none for the default heap."""
    if filling is None:
        return []
    perturb, fill = filling
    options = [os.environ.get("ASAN_OPTIONS"), "max_malloc_fill_size=1000000000", f"malloc_fill_byte={fill}"]
    leaks = [os.environ.get("LSAN_OPTIONS"), f"suppressions={KNOWN_LEAKS}", "print_suppressions=0"]
    return [f"MALLOC_PERTURB_={perturb}", "ASAN_OPTIONS=" + ":".join(filter(None, options)),
            "LSAN_OPTIONS=" + ":".join(filter(None, leaks))]


def without_times(line):
    return re.sub(r'"(ms|mtime_ns)": ({[^}]*}|[0-9]+)', "", line)


def run_of_batch(gpuimg, operation, filling, *options):
    """Exit code, streams, manifest and outputs of a batch over the folder `in`, and the manifest's items by input."""
    command = [gpuimg, *operation, "in", "out/", "--include", "*", "--backend", "cpu", "-q", "--manifest", "run.jsonl"]
    ended = batch_run.Running(*command, *options, prefix=["env", *environment_of(filling)]).end()
    with open("run.jsonl", encoding="utf-8") as file:
        lines = [without_times(line) for line in file]
    # The order of `begun` lines depends on the workers; all other lines are in the order of the plan.
    begun = sorted(line for line in lines if '"status": "begun"' in line)
    manifest = [line for line in lines if '"status": "begun"' not in line] + begun
    items = {line["input"]: line for line in batch_run.manifest_lines("run.jsonl")[1:]}
    outputs = batch_run.outputs_of("out")
    shutil.rmtree("out")
    os.remove("run.jsonl")
    streams = {"stdout": ended.stdout, "messages": ended.stderr}
    return {"exit code": ended.status, **streams, "manifest": manifest, "outputs": outputs}, items


def differences(expected, found):
    if isinstance(expected, str):
        expected, found = expected.splitlines(), found.splitlines()
    if isinstance(expected, dict):
        return [path for path in sorted({*expected, *found}) if found.get(path) != expected.get(path)][:10]
    if isinstance(expected, list):
        return [pair for pair in zip(expected, found) if pair[0] != pair[1]][:5]
    return expected, found
