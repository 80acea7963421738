#!/usr/bin/env python3
"""Runs batches over folders on the CPU and on the GPU and compares their outputs, messages, exit codes and manifests.
Then processes up to 40 of the failed files one by one. usage: compare_batches.py GPUIMG FOLDER…

The test fails unless the device decodes some files and encodes some outputs; otherwise it would compare nothing.
"""
import collections
import hashlib
import json
import os
import subprocess
import sys
import tempfile

CALLS = [
    ["hist"],
    ["hist", "--format", "json", "--no-auto-orient"],
    ["equalize"],
    ["equalize", "--format", "jpg", "--quality", "keep"],
    ["hsl", "--hue", "30", "--format", "jpg", "--quality", "97", "--subsampling", "4:4:4"],
    ["equalize", "--format", "png", "--color", "rgb", "--lenient"],
    ["hsl", "--format", "png"],
    ["integral"],
    ["equalize", "--format", "jpg", "--then", "hsl", "--hue", "30"],
    ["denoise", "--search", "3", "--then", "equalize", "--clahe", "--then", "threshold", "--method", "sauvola"],
    ["integral", "--mean", "5", "--then", "equalize", "--color", "rgb", "--then", "hist"],
    ["threshold", "--method", "mean", "--then", "integral"],
]
# Fields of a manifest's record that are independent of time.
COMPARED = ("input", "output", "status", "error", "notes")


def run(gpuimg, backend, words, folder):
    done = subprocess.run([gpuimg, *words, "--backend", backend], cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300)
    return done.returncode, sorted(done.stderr.splitlines())


def files_below(folder):
    """Digests of all files below a folder, by name."""
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                digest = hashlib.blake2b(file.read()).hexdigest()
            found[os.path.relpath(os.path.join(path, name), folder)] = digest
    return found


def records_of(path):
    """A manifest's records by input, and the numbers of files decoded and encoded by host and device."""
    sides, records = collections.Counter(), {}
    with open(path, encoding="utf-8") as file:
        for record in map(json.loads, file):
            if record.get("status", "begun") != "begun":
                sides["decoded", record.get("decoded_by")] += 1
                sides["encoded", record.get("encoded_by")] += 1
                records[record["input"]] = {key: record.get(key) for key in COMPARED}
    return records, sides


def batch(gpuimg, backend, words, source, scratch):
    """Runs a batch. Returns its results, and the numbers of files decoded and encoded by host and device."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        options = ["-q", "--manifest", "done.jsonl", source, "out"]
        of_first = words.index("--then") if "--then" in words else len(words)
        code, messages = run(gpuimg, backend, words[:of_first] + options + words[of_first:], folder)
        records, sides = records_of(os.path.join(folder, "done.jsonl"))
        return {"exit code": code, "messages": messages, "records": records,
                "outputs": files_below(os.path.join(folder, "out"))}, sides


def summary_of(sides):
    return ", ".join(f"{count} {done} by {side}" for (done, side), count in sorted(sides.items(), key=str))


def differences(one, other):
    """Describes the differing parts; for dictionaries, lists the differing keys."""
    for part in one:
        if one[part] == other[part]:
            continue
        if isinstance(one[part], dict):
            names = sorted(name for name in one[part].keys() | other[part].keys()
                           if one[part].get(name) != other[part].get(name))
            yield f"{part}: {names[:5]}"
        else:
            yield f"{part}: {str(one[part])[:500]} | {str(other[part])[:500]}"


def alone(gpuimg, path, scratch):
    """Processes one file on both backends. Returns the differences."""
    results = []
    for backend in ("cpu", "cuda"):
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            code, messages = run(gpuimg, backend, ["equalize", "-q", path, "out.png"], folder)
            results.append({"exit code": code, "messages": messages, "outputs": files_below(folder)})
    return list(differences(*results))


def main(gpuimg, folders):
    gpuimg = os.path.abspath(gpuimg)
    problems, sides = [], collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for source in map(os.path.abspath, folders):
            failed = set()
            for words in CALLS:
                host, _ = batch(gpuimg, "cpu", words, source, scratch)
                device, counted = batch(gpuimg, "cuda", words, source, scratch)
                what = f"{' '.join(words)} over {os.path.basename(source)}"
                found = list(differences(host, device))
                print(f"{'DIFFERENT' if found else 'same'}: {what}: {len(host['outputs'])} outputs, "
                      f"{len(host['messages'])} messages, exit code {host['exit code']}; {summary_of(counted)}")
                problems += [f"{what}: {each}" for each in found]
                failed |= {name for name, record in host["records"].items() if record["status"] == "failed"}
                sides += counted
            for path in sorted(failed)[:40]:
                problems += [f"{path}: {each}" for each in alone(gpuimg, os.path.join(source, path), scratch)]
            print(f"{min(40, len(failed))} of {len(failed)} files that fail were read alone")
    problems += [f"the device {done} nothing" for done in ("decoded", "encoded") if sides[done, "cuda"] == 0]
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
