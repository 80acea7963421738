#!/usr/bin/env python3
"""Tests samples/shards: the function that processes a shard, and the samples for Ray Data and Dask, while one of their
workers is killed halfway.

usage: test_shards.py GPUIMG SAMPLES alone|dask|ray     with the package in PYTHONPATH

GPUIMG_TEST_PACKAGES names the engine's packages in PyPI, which are installed into a separate environment. An engine takes
up to six minutes, and Ray takes 700 MB; without GPUIMG_TEST_ENGINES=1, the engine is skipped.
"""
import filecmp
import io
import json
import os
import pathlib
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "live"), str(HERE.parent / "batch")]
import gpuimg_run

GPUIMG, SAMPLES, ENGINE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve() / "shards", sys.argv[3]
if ENGINE != "alone" and os.environ.get("GPUIMG_TEST_ENGINES") != "1":
    print("SKIPPED: takes up to six minutes, and 700 MB for Ray; set GPUIMG_TEST_ENGINES=1")
    sys.exit(gpuimg_run.SKIPPED)
gpuimg_run.with_packages_of_environment(alone=True)
if ENGINE != "alone":
    gpuimg_run.require({"dask": "distributed", "ray": "ray.data"}[ENGINE])

import gpuimg
import image_tree

sys.path.insert(0, str(SAMPLES))
import shards

STEPS = "equalize --then resize --size 75%"
BROKEN = {"text.png": b"this is text", "cut.png": None}
# Starts Ray here, so that it is small and runs only on this machine.
RAY = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import ray, on_ray
ray.cloudpickle.register_pickle_by_value(on_ray)
ray.init(num_cpus=2, object_store_memory=100 << 20, include_dashboard=False, _node_ip_address="127.0.0.1",
         _temp_dir=sys.argv.pop(1))
sys.exit(on_ray.main())
"""
DASK = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import on_dask
sys.exit(on_dask.main())
"""
KILLS_ITS_WORKER = """
import os, sys
sys.path.insert(0, sys.argv[1])
import shards
def fill(work, archive, path, outcome):
    with open(work.out + ".starts", "a") as file:
        file.write("started\\n")
        starts = file.tell() // 8
    if starts > deaths:
        raise OSError("the disk is full")
    os._exit(9)
shards.Shards.fill, deaths = fill, DEATHS
"""


def noise(width, height, seed):
    return image_tree.make_image.noise_png((width, height), "rgb", "8", str(seed))


def write_tar(path, members):
    """Members are pairs of a name or a TarInfo, and bytes or None. Their headers contain much about this machine."""
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive:
        for info, content in members:
            if isinstance(info, str):
                info = tarfile.TarInfo(info)
                info.mtime, info.uid, info.uname, info.mode = time.time(), os.getuid() + 7, "someone", 0o600
            info.size = len(content or b"")
            archive.addfile(info, io.BytesIO(content) if content is not None else None)


def headers(path):
    with tarfile.open(path) as archive:
        return [(one.name, one.type, one.linkname, one.size, one.mode, one.mtime, one.uid, one.gid, one.uname, one.gname)
                for one in archive]


def contents(path):
    with tarfile.open(path) as archive:
        return [(one.name, archive.extractfile(one).read()) for one in archive if one.isreg()]


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gpuimg-shards.")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        self.out.mkdir()

    def by_the_tool(self, shard, broken):
        """Names and contents, as the executable writes them."""
        result = self.folder / "tool.tar"
        done = subprocess.run([GPUIMG, "equalize", "--backend", "cpu", "--force", shard, result, "--format", "png", "--then",
                               *STEPS.split(" --then ")[1].split()], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1 if broken else 0, done.stderr)
        return contents(result)


class Alone(InAFolder):
    def work(self, members, **changes):
        write_tar(self.folder / "in.tar", members)
        return shards.Shards(**{"out": str(self.out), "steps": STEPS} | changes)(str(self.folder / "in.tar"))

    def result(self):
        return (self.out / "in.tar").read_bytes()

    def kinds_of_members(self):
        folder, link = tarfile.TarInfo("d"), tarfile.TarInfo("d/link.png")
        folder.type, link.type, link.linkname = tarfile.DIRTYPE, tarfile.SYMTYPE, "0.png"
        photo = self.folder / "photo.jpg"
        gpuimg.decode(noise(40, 30, 1)).write(photo, force=True)
        return [(folder, None), ("d/0.png", noise(61, 43, 2)), ("d/0.cls", b"7\n"), (link, None), ("empty", b""),
                ("text.png", b"this is text"), ("d/photo.JPG", photo.read_bytes()), ("d/.hidden.png", b"x"),
                ("été/写真 " + 90 * "long" + ".png", noise(5, 4, 3)), ("cut.png", noise(61, 43, 4)[:900]),
                (os.fsdecode(b"\xff\xfe.png"), noise(8, 8, 5))]

    def test_members_match_the_executable(self):
        outcome = self.work(self.kinds_of_members())
        self.assertEqual(contents(self.out / "in.tar"), self.by_the_tool(self.folder / "in.tar", broken=True))
        self.assertEqual((outcome["shard"], outcome["images"]), ("in.tar", 4))
        self.assertEqual([(one["name"], one["kind"]) for one in outcome["failed"]], [("text.png", "decode"), ("cut.png", "decode")])
        for one in outcome["failed"]:
            self.assertTrue(one["message"].startswith(one["name"] + ": "), one)
        self.assertEqual(os.listdir(self.out), ["in.tar"])

    def test_headers_say_nothing_about_the_machine(self):
        self.work(self.kinds_of_members())
        found = headers(self.out / "in.tar")
        self.assertEqual([one[:3] for one in found[:4]],
                         [("d", tarfile.DIRTYPE, ""), ("d/0.png", tarfile.REGTYPE, ""), ("d/0.cls", tarfile.REGTYPE, ""),
                          ("d/link.png", tarfile.SYMTYPE, "0.png")])
        for one in found:
            self.assertEqual(one[4:], (0o755 if one[1] == tarfile.DIRTYPE else 0o644, 0, 0, 0, "", ""))

    def test_hard_links_become_files(self):
        def link(name, target):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.LNKTYPE, target
            return info, None

        image, other = noise(61, 43, 1), noise(20, 20, 2)
        with_links = [("d/a.jpg", image), ("d/a.cls", b"7\n"), link("d/b.png", "d/a.jpg"), link("./d/b.cls", "d/a.cls"),
                      ("d/c.png", other), link("d/d.png", "./d/b.png"), ("cut.png", image[:900]), link("e.png", "cut.png")]
        without = [("d/a.jpg", image), ("d/a.cls", b"7\n"), ("d/b.png", image), ("./d/b.cls", b"7\n"),
                   ("d/c.png", other), ("d/d.png", image), ("cut.png", image[:900]), ("e.png", image[:900])]
        expected = self.work(without)
        self.assertEqual((expected["images"], [one["name"] for one in expected["failed"]]), (4, ["cut.png", "e.png"]))
        expected_bytes = self.result()
        self.assertEqual(self.work(with_links), expected)
        self.assertEqual(self.result(), expected_bytes)
        (self.out / "in.tar").unlink()
        self.assertIn("b.png is a hard link", self.work([link("b.png", "a.png"), ("a.png", image)])["error"])
        self.assertEqual(os.listdir(self.out), [])

    def test_bytes_depend_only_on_contents(self):
        self.work(self.kinds_of_members())
        expected = self.result()
        self.addCleanup(setattr, shards, "MEMBERS_AT_ONCE", shards.MEMBERS_AT_ONCE)
        shards.MEMBERS_AT_ONCE = 2
        self.work(self.kinds_of_members(), workers=3)
        self.assertEqual(self.result(), expected)
        script = "import os, sys, shards; os.umask(0o077); shards.Shards(sys.argv[1], sys.argv[2])(sys.argv[3])"
        subprocess.run([sys.executable, "-B", "-c", script, self.out, STEPS, self.folder / "in.tar"], check=True,
                       env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "LC_ALL": "C", "TZ": "Asia/Tokyo",
                                         "USER": "someone", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})
        self.assertEqual(self.result(), expected)

    def test_damaged_shard_is_named_and_not_written(self):
        members = [(f"{i}.png", noise(20, 20, i)) for i in range(4)]
        self.assertNotIn("error", self.work(members))
        whole = (self.folder / "in.tar").read_bytes()
        with tarfile.open(self.folder / "in.tar") as archive:
            members = archive.getmembers()
        starts = [one.offset for one in members]
        end = members[3].offset_data + -(-members[3].size // 512) * 512
        damaged = {"cut between members": whole[:starts[2]], "cut in a header": whole[:starts[2] + 100],
                   "cut in a member": whole[:starts[2] + 700], "no end": whole[:end], "empty": b"",
                   "a damaged header": whole[:starts[2] + 3] + b"!" + whole[starts[2] + 4:], "text": b"text" * 999}
        for name, content in damaged.items():
            with self.subTest(name):
                (self.out / "in.tar").unlink(missing_ok=True)
                (self.folder / "in.tar").write_bytes(content)
                outcome = shards.Shards(str(self.out), STEPS)(str(self.folder / "in.tar"))
                self.assertEqual(set(outcome), {"shard", "error"})
                self.assertEqual(os.listdir(self.out), [])

    def test_two_images_with_one_name_are_rejected(self):
        outcome = self.work([("a.png", noise(9, 9, 1)), ("a.tiff", noise(9, 9, 2))])
        self.assertIn("a.png", outcome["error"])
        self.assertEqual(os.listdir(self.out), [])

    def with_error(self, kind):
        """Runs a process whose second image fails with this kind of error."""
        write_tar(self.folder / "in.tar", [(f"{i}.png", noise(9, 9, i)) for i in range(3)])
        script = """
import sys, gpuimg, shards
real = gpuimg.read_many
def failing(*words, **options):
    for item in real(*words, **options):
        yield item._replace(image=None, error=gpuimg.Error(sys.argv[3], "bad luck")) if item.index == 1 else item
gpuimg.read_many = failing
print(shards.Shards(sys.argv[1], "equalize")(sys.argv[2]))
"""
        return subprocess.run([sys.executable, "-B", "-c", script, self.out, self.folder / "in.tar", kind],
                              env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True)

    def test_errors_not_caused_by_an_image_end_the_shard(self):
        for kind in ("device_fault", "backend_unavailable", "out_of_memory", "read", "internal", "mismatch"):
            with self.subTest(kind):
                done = self.with_error(kind)
                self.assertEqual(done.returncode, 5 if kind == "device_fault" else 1, done.stderr)
                self.assertIn("bad luck", done.stderr)
                self.assertNotIn("in.tar", os.listdir(self.out))
        self.assertEqual(self.with_error("decode").returncode, 0)
        self.assertIn("in.tar", os.listdir(self.out))

    def test_only_the_temporary_files_of_the_run_are_removed(self):
        work, other = shards.Shards(str(self.out), STEPS), shards.Shards(str(self.out), STEPS)
        kept = [os.path.basename(other.part_of("a.tar")), ".download.part"]
        for name in kept:
            (self.out / name).touch()
        with work.tidied():
            pathlib.Path(work.part_of("a.tar")).touch()
        self.assertEqual(sorted(os.listdir(self.out)), sorted(kept))
        with self.assertRaises(InterruptedError), work.tidied():
            pathlib.Path(work.part_of("a.tar")).touch()
            raise InterruptedError
        self.assertEqual(sorted(os.listdir(self.out)), sorted(kept))

    def test_plan(self):
        def plan(*words):
            return shards.plan(shards.arguments("").parse_args([str(self.folder / "in"), str(self.out), *words]))

        (self.folder / "in").mkdir()
        with self.assertRaises(SystemExit):
            plan()
        for name in ("b.tar", "a.tar", "notes.txt", "c.tar"):
            (self.folder / "in" / name).touch()
        self.assertEqual([os.path.basename(path) for path in plan()[1]], ["a.tar", "b.tar", "c.tar"])
        (self.out / "b.tar").touch()
        with self.assertRaises(SystemExit):
            plan()
        self.assertEqual([os.path.basename(path) for path in plan("--skip-existing")[1]], ["a.tar", "c.tar"])
        with self.assertRaises(gpuimg.Error):
            plan("--steps", "equalize --nonsense", "--skip-existing")


class OnAnEngine(InAFolder):
    """Six shards and two workers."""

    SHARDS, IMAGES = 6, 24

    def setUp(self):
        super().setUp()
        self.mark = secrets.token_hex(8)
        self.addCleanup(self.end_processes)
        self.source = self.folder / "in"
        self.source.mkdir()
        seed = random.Random(gpuimg_run.seed())
        for shard in range(self.SHARDS):
            members = []
            for i in range(self.IMAGES):
                content = noise(500, 400, seed.randrange(1 << 30))
                members += [(f"{i:03}.png", content[:5000] if (shard, i) == (2, 5) else content), (f"{i:03}.cls", b"%d" % i)]
            write_tar(self.source / f"{shard:02}.tar", members)

    def end_processes(self):
        """Ends the processes that an engine left behind; a mark in their environment identifies them."""
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if entry.name != str(os.getpid()) and self.mark.encode() in (entry / "environ").read_bytes():
                    os.kill(int(entry.name), signal.SIGKILL)
            except (OSError, ProcessLookupError):
                pass

    def start(self, out, *more, before=""):
        """Starts the engine, after the statements `before`."""
        words = [str(self.source), str(out), "--workers", "2", "--steps", STEPS, *more]
        script = ["-c", before + DASK, str(SAMPLES)] if before else [str(SAMPLES / "on_dask.py")]
        if ENGINE == "ray":
            script = ["-c", before + RAY, str(SAMPLES), str(self.folder / "ray")]
        quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled", "HOME": str(self.folder)}
        self.log = open(self.folder / "log", "w+")
        return subprocess.Popen([sys.executable, "-B", *script, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=self.log, text=True, cwd=self.folder,
                                env=os.environ | quiet | {"GPUIMG_TEST_MARK": self.mark})

    def rows(self, running):
        printed = running.stdout.read()
        running.stdout.close()
        code = running.wait()
        self.log.seek(0)
        messages = self.log.read()
        self.log.close()
        self.assertEqual(code, 1, messages[-8000:])  # one image is broken
        return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]

    @staticmethod
    def begun(out):
        """Shards that are being written: name, process and path of each."""
        found = []
        for path in out.glob(".*.part"):
            shard, process = path.name[1:].split(".tar.")
            found.append((shard + ".tar", int(process.split("-")[0]), path))
        return found

    def kill_in_the_middle(self, out, running):
        """After a first shard is done, kills a worker that has written part of another. Returns shard and process."""
        while running.poll() is None:
            for shard, process, path in self.begun(out) if list(out.glob("*.tar")) else []:
                try:
                    if path.stat().st_size < 1 << 20:
                        continue
                    os.kill(process, signal.SIGKILL)
                except (FileNotFoundError, ProcessLookupError):
                    continue
                self.assertFalse((out / shard).exists(), "the shard was done already")
                return shard, process
            time.sleep(0.002)
        self.fail("all ended before a worker could be killed")

    def test_killed_worker_changes_nothing(self):
        undisturbed, disturbed = self.folder / "undisturbed", self.folder / "disturbed"
        expected = self.rows(self.start(undisturbed))
        disturbed.mkdir()
        running = self.start(disturbed)
        shard, killed = self.kill_in_the_middle(disturbed, running)
        others = set()
        while running.poll() is None and not (disturbed / shard).exists():
            others |= {process for name, process, _ in self.begun(disturbed) if name == shard} - {killed}
            time.sleep(0.002)
        self.assertEqual(self.rows(running), expected)
        self.assertTrue(others, f"no other worker was seen to repeat {shard}")
        names = sorted(os.listdir(self.source))
        self.assertEqual(sorted(os.listdir(disturbed)), names)
        self.assertEqual(sorted(os.listdir(undisturbed)), names)
        self.assertEqual(filecmp.cmpfiles(undisturbed, disturbed, names, shallow=False), (names, [], []))
        self.assertEqual([row["images"] for row in expected], [24, 24, 23, 24, 24, 24])
        self.assertEqual([(row["shard"], one["name"]) for row in expected for one in row["failed"]], [("02.tar", "005.png")])
        for name in names:
            self.assertEqual(contents(disturbed / name), self.by_the_tool(self.source / name, broken=name == "02.tar"))
        print(f"{shard} was repeated: process {killed} was killed, {sorted(others)} wrote it")

    def run_one_shard(self, deaths, *words):
        """Runs one shard whose first workers die, and a later one raises an error. Returns the standard error."""
        for path in sorted(self.source.iterdir())[1:]:
            path.unlink()
        (self.out / ".download.part").touch()
        running = self.start(self.out, *words, before=KILLS_ITS_WORKER.replace("DEATHS", str(deaths)))
        printed, _ = running.communicate(timeout=300)
        self.log.seek(0)
        messages = self.log.read()
        self.log.close()
        self.assertNotEqual(running.returncode, 0)
        self.assertNotIn("00.tar", printed)
        self.assertEqual(os.listdir(self.out), [".download.part"])
        return messages

    def test_error_leaves_nothing_of_the_run(self):
        self.assertIn("the disk is full", self.run_one_shard(1))

    def test_shard_that_kills_every_worker_ends_the_run(self):
        self.run_one_shard(1000, "--restarts", "2")
        self.assertEqual((self.folder / "out.starts").read_text(), 3 * "started\n")


class OnASharedScheduler(InAFolder):
    """A Dask cluster that serves several runs. Its machines have gpuimg, but not the files of samples/shards."""

    def setUp(self):
        super().setUp()
        elsewhere, address = self.folder / "elsewhere", self.folder / "address"
        elsewhere.mkdir()
        for module, *words in (("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
                               ("dask_worker", "--nthreads", "2", "--no-nanny", "--no-dashboard")):
            command = [sys.executable, "-B", "-m", "distributed.cli." + module, *words, "--scheduler-file", address]
            running = subprocess.Popen(command, cwd=elsewhere, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            self.addCleanup(running.wait)
            self.addCleanup(running.terminate)
        self.wait_for(lambda: address.exists() and address.read_text().endswith("}"), "the scheduler has not started")
        self.address = json.loads(address.read_text())["address"]

    def start(self, source, out, *words):
        command = [sys.executable, "-B", SAMPLES / "on_dask.py", source, out, "--scheduler", self.address, *words]
        running = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.communicate)
        self.addCleanup(running.kill)
        return running

    def wait_for(self, condition, what):
        until = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), until, what)
            time.sleep(0.02)

    def test_restarts_are_rejected(self):
        (self.folder / "in").mkdir()
        write_tar(self.folder / "in" / "a.tar", [])
        running = self.start(self.folder / "in", self.out, "--restarts", "5")
        _, messages = running.communicate(timeout=120)
        self.assertEqual(running.returncode, 2)
        self.assertIn("allowed-failures", messages)

    def test_two_runs_with_equal_shard_names(self):
        """When the second run begins, the first one has done a.tar and waits for the content of b.tar."""
        for run in (1, 2):
            (self.folder / f"in{run}").mkdir()
            write_tar(self.folder / f"in{run}" / "a.tar", [(f"{i}.png", noise(20, 20, i)) for i in range(run)])
        pipe = self.folder / "in1" / "b.tar"
        os.mkfifo(pipe)
        first = self.start(self.folder / "in1", self.folder / "out1")
        done = self.folder / "out1" / "a.tar"
        self.wait_for(lambda: done.exists() or first.poll() is not None, "a.tar is not done")
        self.assertTrue(done.exists(), first.returncode is not None and first.stderr.read()[-8000:])
        self.addCleanup(lambda: os.close(os.open(pipe, os.O_RDWR | os.O_NONBLOCK)))
        second = self.start(self.folder / "in2", self.folder / "out2")
        printed, messages = second.communicate(timeout=120)
        self.assertEqual(second.returncode, 0, messages[-8000:])
        self.assertEqual(json.loads(printed), {"shard": "a.tar", "images": 2, "failed": []})
        for run in (1, 2):
            self.assertEqual(len(contents(self.folder / f"out{run}" / "a.tar")), run)


if __name__ == "__main__":
    del sys.argv[1:4]
    CASES = {"alone": ["Alone"], "dask": ["OnAnEngine", "OnASharedScheduler"], "ray": ["OnAnEngine"]}
    unittest.main(argv=[sys.argv[0], *(sys.argv[1:] or CASES[ENGINE])])
