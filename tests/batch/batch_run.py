"""Shared by the batch tests: running and measuring gpuimg, comparing folders, the random seed.

A test that cannot run prints the reason and exits with 77, which ctest reports as skipped.
"""
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time

SOME_FAILED = 1
BAD_OUTPUT = 4
SKIPPED = 77
STOPPED_EARLY = 75
INTERRUPTED = 130


class Ended:
    """A finished process: exit code (negative signal number if killed), output streams, seconds, peak memory."""

    def __init__(self, process, status, usage, seconds, stdout, stderr):
        self.arguments = process.args
        self.status = os.waitstatus_to_exitcode(status)
        self.seconds = seconds
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        self.peak_bytes = usage.ru_maxrss * 1024
        self.stdout = stdout
        self.stderr = stderr

    def __str__(self):
        said = self.stdout + self.stderr
        return f"exit {self.status} of {' '.join(map(str, self.arguments))}\n{said if len(said) < 2000 else said[:2000] + '…'}"


class Running:
    """A running gpuimg. Its streams go to files, so that it never waits for a reader."""

    def __init__(self, *command, prefix=()):
        self._streams = [tempfile.TemporaryFile(), tempfile.TemporaryFile()]
        self._begun = time.monotonic()
        self.process = subprocess.Popen(
            [*prefix, *map(str, command)], stdin=subprocess.DEVNULL, stdout=self._streams[0], stderr=self._streams[1]
        )

    @property
    def pid(self):
        return self.process.pid

    def signal(self, number):
        """Sends a signal; does nothing to a process that has ended (it has not been waited for yet)."""
        os.kill(self.process.pid, number)

    def end(self):
        _, status, usage = os.wait4(self.process.pid, 0)
        seconds = time.monotonic() - self._begun
        self.process.returncode = os.waitstatus_to_exitcode(status)  # otherwise Popen would wait for it again
        texts = []
        for stream in self._streams:
            stream.seek(0)
            texts.append(stream.read().decode(errors="backslashreplace"))
            stream.close()
        return Ended(self.process, status, usage, seconds, *texts)


def run(*command):
    return Running(*command).end()


def check(condition, message):
    if not condition:
        print(f"FAILED: {message}")
        sys.exit(1)


def expect(status, *command):
    """Runs a command and checks its exit status."""
    ended = run(*command)
    check(ended.status == status, f"expected exit {status}, got {ended}")
    return ended


def is_temporary(name):
    return name.startswith(".gpuimg-")


def files_below(folder):
    """Sorted relative paths."""
    found = []
    for path, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(path, name), folder) for name in names]
    return sorted(found)


def digest_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        # In blocks: a child process inherits the peak memory of its parent, which would hide gpuimg's.
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def outputs_of(folder):
    """The outputs of a run under their final names: relative path to digest."""
    paths = [path for path in files_below(folder) if not is_temporary(os.path.basename(path))]
    return {path: digest_of(os.path.join(folder, path)) for path in paths}


def temporaries_of(folder):
    return [path for path in files_below(folder) if is_temporary(os.path.basename(path))]


def check_whole(found, expected, what):
    """Checks that every existing output has the expected bytes."""
    for path, digest in found.items():
        check(path in expected, f"{what}: {path!r} is not an output of the undisturbed run")
        check(digest == expected[path], f"{what}: {path!r} differs from the undisturbed run")


def check_same(found, expected, what):
    check_whole(found, expected, what)
    missing = sorted(set(expected) - set(found))
    check(not missing, f"{what}: {len(missing)} outputs are missing, {missing[:3]}")


def manifest_lines(path):
    """The complete lines of a manifest as objects; a killed process may leave a partial last line."""
    if not os.path.exists(path):
        return []
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")[:-1]
    return [json.loads(line) for line in lines if line]


def begun_lines(path):
    return [line for line in manifest_lines(path) if line.get("status") == "begun"]


def done_lines(path):
    return [line for line in manifest_lines(path) if line.get("status") == "done"]


def seeded_random():
    """A random seed, or GPUIMG_TEST_SEED to repeat a run; printed."""
    seed = int(os.environ.get("GPUIMG_TEST_SEED") or int.from_bytes(os.urandom(4), "little"))
    print(f"GPUIMG_TEST_SEED={seed}", flush=True)
    return random.Random(seed)


def is_sanitized(program):
    """True if built with the address or thread sanitizer, which use additional memory."""
    with open(program, "rb") as file:
        content = file.read()
    return b"__asan_init" in content or b"__tsan_init" in content


def forget_environment():
    """Clears environment variables that would affect the tests."""
    for name in list(os.environ):
        if name.startswith(("GPUIMG_", "SLURM_", "OMPI_")) and not name.startswith("GPUIMG_TEST_"):
            del os.environ[name]
