"""Checks the recipes for containers and Spack as far as possible without docker, Apptainer and Spack.

The Dockerfile and the Apptainer definition must install the same .deb by the same commands, which a shell can parse. With
--root FOLDER, a bare root of that distribution, the commands are also run there, which needs root and the network.
The Spack recipe runs with stand-ins for Spack's modules. CMake must accept the arguments that the recipe passes, without
fetching anything, and a variant that is off must switch off its part of gpuimg.

usage: recipes.py SOURCE BUILD [--root FOLDER]
"""
import argparse
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest


def read(*path):
    with open(os.path.join(ASKED.source, "packaging", *path), encoding="utf-8") as file:
        return file.read()


def debs():
    """The .deb files of the current version. The build folder also keeps those of earlier versions."""
    version = re.search(r"^project\(gpuimg VERSION (\S+)", read(os.pardir, "CMakeLists.txt"), re.M)[1]
    return glob.glob(os.path.join(glob.escape(ASKED.build), "packages", f"gpuimg_{version}-*.deb"))


def missing_parts():
    """Dependencies of the Spack recipe that this machine lacks. The build fetched them, or was made without them."""
    with open(os.path.join(ASKED.build, "CMakeCache.txt"), encoding="utf-8") as file:
        found = dict(re.findall(r"^(\w+):\w+=(.*)$", file.read(), re.M))
    of_cmake = ["fmt_DIR", "CLI11_DIR", "TBB_DIR", "nlohmann_json_DIR", "hwy_DIR", "GPUIMG_OPENCL_HEADERS"]
    return [name for name in of_cmake if found.get(name, "NOTFOUND").endswith("NOTFOUND")] + [
        name for name in ("libtiff-4 >= 4.5", "libwebp", "libarchive")
        if subprocess.run(["pkg-config", "--exists", name]).returncode != 0]


def instructions(dockerfile):
    """Pairs of an instruction and its arguments, without comments; continued lines are joined."""
    text = re.sub(r"^\s*#.*\n", "", dockerfile, flags=re.M).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


def sections(definition):
    """The header of an Apptainer definition as a dict, and its sections."""
    header, *rest = re.split(r"^%", re.sub(r"^#.*\n", "", definition, flags=re.M), flags=re.M)
    parts = {name: body for name, body in (part.split("\n", 1) for part in rest)}
    return dict(line.split(": ", 1) for line in header.splitlines() if line.strip()), parts


def words_of(commands):
    return " ".join(commands.replace("\\\n", " ").split())


class Containers(unittest.TestCase):
    def setUp(self):
        self.docker = instructions(read("container", "Dockerfile"))
        self.header, self.sections = sections(read("container", "gpuimg.def"))

    def of_docker(self, name):
        return [words for instruction, words in self.docker if instruction == name]

    def test_both_begin_with_the_same_distribution(self):
        self.assertEqual(self.docker[0], ("FROM", "debian:bookworm-slim"))
        self.assertEqual(self.header, {"Bootstrap": "docker", "From": "debian:bookworm-slim"})

    def test_parts_are_known(self):
        self.assertLessEqual({name for name, _ in self.docker}, {"FROM", "COPY", "RUN", "ENV", "WORKDIR", "ENTRYPOINT", "CMD"})
        self.assertEqual(set(self.sections), {"files", "post", "environment", "runscript", "test"})
        for name in ("ENTRYPOINT", "CMD"):
            (words,) = self.of_docker(name)
            self.assertTrue(all(isinstance(word, str) for word in json.loads(words)))

    def test_both_run_the_same_commands(self):
        (run,) = self.of_docker("RUN")
        post = words_of(self.sections["post"]).replace("/opt/gpuimg_*.deb", "/opt/gpuimg.deb")
        self.assertEqual(words_of(run), post)
        for commands in (run, *(self.sections[name] for name in ("post", "environment", "runscript", "test"))):
            subprocess.run(["sh", "-n"], input=commands, text=True, check=True)

    def test_both_take_the_deb_of_the_build(self):
        (copied,) = self.of_docker("COPY")
        self.assertEqual(copied.split()[0], self.sections["files"].split()[0])
        packages = debs()
        if not packages:
            self.skipTest("no .deb of this version was made")
        self.assertEqual(len(packages), 1, "COPY to a name takes one file")
        self.assertTrue(fnmatch.fnmatch(os.path.basename(packages[0]), copied.split()[0]), packages)

    def test_commands_work_in_a_bare_root(self):
        if not ASKED.root:
            self.skipTest("--root names no root")
        (deb,) = debs()
        shutil.copyfile(deb, os.path.join(ASKED.root, "opt", "gpuimg.deb"))
        (run,) = self.of_docker("RUN")
        in_root = ["chroot", ASKED.root, "env", "DEBIAN_FRONTEND=noninteractive", "sh", "-ec"]
        subprocess.run([*in_root, run], check=True, stdin=subprocess.DEVNULL)
        found = subprocess.run([*in_root, "gpuimg --version"], check=True, capture_output=True, text=True).stdout
        self.assertNotRegex(found, "without|not installed")  # libraries that are opened at run time
        self.assertEqual(os.listdir(os.path.join(ASKED.root, "var/lib/apt/lists")), [])
        self.assertEqual(os.listdir(os.path.join(ASKED.root, "opt")), [])


class Recorded:
    """What the recipe declares."""

    def __init__(self):
        self.versions, self.variants, self.dependencies, self.resources = {}, {}, [], []


def spack_modules(recorded):
    """Stand-ins for the modules that the recipe imports."""
    spack = types.ModuleType("spack.package")

    def run_after(_):
        return lambda function: function

    def ignored(*_, **__):
        pass

    spack.version = lambda name, **more: recorded.versions.__setitem__(name, more)
    spack.variant = lambda name, **more: recorded.variants.__setitem__(name, more)
    spack.depends_on = lambda spec, **more: recorded.dependencies.append((spec, more))
    spack.resource = lambda **more: recorded.resources.append(more)
    spack.license = spack.conflicts = ignored
    spack.run_after, spack.on_package_attributes = run_after, lambda **_: (lambda function: function)
    spack.join_path, spack.Executable = os.path.join, subprocess.run

    class CMakePackage:
        def __init__(self, chosen, architectures, source):
            self.chosen, self.stage = chosen, types.SimpleNamespace(source_path=source)
            self.spec = types.SimpleNamespace(
                satisfies=lambda spec: chosen[spec.lstrip("+")],
                variants={"cuda_arch": types.SimpleNamespace(value=architectures)})

        @staticmethod
        def define(name, value):
            if isinstance(value, bool):
                return f"-D{name}:BOOL={'ON' if value else 'OFF'}"
            return f"-D{name}:STRING={';'.join(value) if isinstance(value, (tuple, list)) else value}"

        def define_from_variant(self, name, variant):
            return self.define(name, self.chosen[variant])

    cmake, cuda = types.ModuleType("spack_repo.builtin.build_systems.cmake"), types.ModuleType("spack_repo.builtin.build_systems.cuda")
    cmake.CMakePackage, cuda.CudaPackage = CMakePackage, type("CudaPackage", (), {})
    names = ["spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"]
    return {name: types.ModuleType(name) for name in names} | {module.__name__: module for module in (spack, cmake, cuda)}


class Spack(unittest.TestCase):
    PARTS = {"tiff": "TIFF files: not built", "webp": "WEBP files: not built", "archive": "tar archives: not built",
             "opencl": "OpenCL backend: not built"}

    def setUp(self):
        self.recorded = Recorded()
        added = spack_modules(self.recorded)
        sys.modules.update(added)
        self.addCleanup(lambda: [sys.modules.pop(name) for name in added])
        space = {}
        exec(compile(read("spack", "package.py"), "package.py", "exec"), space)
        self.recipe = space["Gpuimg"]

    def arguments(self, is_on, architectures=("none",)):
        chosen = {name: is_on for name in self.recorded.variants} | {"cuda": architectures != ("none",)}
        return self.recipe(chosen, architectures, self.source()).cmake_args()

    @staticmethod
    def source():
        """A source folder with the installed stb in place of the one that Spack would download."""
        folder = tempfile.mkdtemp(dir=SCRATCH)
        os.makedirs(os.path.join(folder, "deps"))
        os.symlink("/usr/include/stb", os.path.join(folder, "deps", "stb"))
        return folder

    def test_arguments_are_options_of_the_build(self):
        text = "".join(read(os.pardir, name, "CMakeLists.txt") for name in ("", "third_party", "opencl"))
        for argument in self.arguments(True, ("80", "90")):
            name = argument[2:].split(":")[0]
            is_format = re.match(r"GPUIMG_(TIFF|WEBP|HEIF)$", name) and f"gpuimg_choose({name[7:]} " in text
            self.assertTrue(name.startswith(("FETCHCONTENT_", "CMAKE_")) or is_format or name in text, name)
        self.assertIn("-DCMAKE_CUDA_ARCHITECTURES:STRING=80;90", self.arguments(True, ("80", "90")))

    def test_the_commit_of_stb_is_that_of_the_build(self):
        (stb,) = self.recorded.resources
        self.assertIn(stb["commit"], read(os.pardir, "third_party", "CMakeLists.txt"))
        self.assertEqual((stb["destination"], stb["placement"]), ("deps", "stb"))

    def test_every_variant_has_what_it_needs(self):
        for name in self.recorded.variants:
            needed = [spec for spec, more in self.recorded.dependencies if more.get("when") == "+" + name]
            self.assertEqual(len(needed), 1, name)

    def test_cmake_takes_the_arguments(self):
        if not os.path.isdir("/usr/include/stb"):
            self.skipTest("the headers of stb are not installed")
        if missing := missing_parts():
            self.skipTest("not installed: " + ", ".join(missing))
        for is_on in (True, False):
            with tempfile.TemporaryDirectory(dir=SCRATCH) as build:
                done = subprocess.run(["cmake", "-S", ASKED.source, "-B", build, "-G", "Ninja", *self.arguments(is_on)],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr[-3000:])
                unused = re.findall(r"^    (\w+)$", done.stderr, re.M)  # without fetching, only this is unused
                self.assertLessEqual(set(unused), {"FETCHCONTENT_FULLY_DISCONNECTED"}, done.stderr)
                self.assertNotIn("fetching", done.stdout)
                for line in self.PARTS.values():
                    (self.assertNotIn if is_on else self.assertIn)(line, done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=os.path.abspath)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--root", type=os.path.abspath)
    ASKED = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gpuimg-recipes.") as SCRATCH:
        sys.exit(not unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful())
