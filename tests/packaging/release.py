"""Checks packaging/release in small repositories, and packaging/write_sbom on the packages of a build.

A release must be rejected if versions disagree or the tree is not clean, must be whole or absent, and must have the same
bytes when it is made again. A stand-in for CMake delivers small packages. The SBOM must name every
library that the executable needs, and everything that is inside.

usage: release.py SOURCE BUILD
"""
import copy
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = map(os.path.realpath, sys.argv[1:3])
FILES = ("CMakeLists.txt", "CHANGELOG.md", "pyproject.toml", "packaging/release", "packaging/write_sbom")
AUTHOR = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
          for what, value in (("NAME", "test"), ("EMAIL", "test@example.invalid"), ("DATE", "2026-11-29T00:00:00Z"))}
CMAKE = """#!/bin/sh
[ "$1" = --build ] || exit 0
mkdir -p "$2/packages"
case "$4" in
  deb) cp '{made}'/*.deb "$2/packages/" ;;
  tarball) cp '{made}'/*-linux-*.tar.gz "$2/packages/" ;;
esac
"""
CONTROL = """Package: gpuimg
Version: {version}-1~test
Architecture: {architecture}
Maintainer: test <test@example.invalid>
Description: test
"""
VERSIONS = "static fmt a33701196adfad74917046096bf5a2aa0ab0bb50 https://github.com/fmtlib/fmt.git\n"


def read(file):
    with open(os.path.join(SOURCE, file), encoding="utf-8") as opened:
        return opened.read()


VERSION = re.search(r"^project\(gpuimg VERSION (\S+)", read("CMakeLists.txt"), re.M)[1]


def package(pattern):
    (found,) = glob.glob(os.path.join(glob.escape(BUILD), "packages", pattern)) or [None]
    return found


DEB, TARBALL = package(f"gpuimg_{VERSION}-*.deb"), package(f"gpuimg-{VERSION}-linux-*.tar.gz")


class Repository(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "a folder")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self.environment |= AUTHOR
        for file in FILES:
            os.makedirs(os.path.join(self.folder, os.path.dirname(file)), exist_ok=True)
            shutil.copy(os.path.join(SOURCE, file), os.path.join(self.folder, file))
        self.write(".gitignore", "/build/\n")
        self.git("init", "-q")
        self.commit()

    def write(self, file, text):
        os.makedirs(os.path.dirname(os.path.join(self.folder, file)), exist_ok=True)
        with open(os.path.join(self.folder, file), "w", encoding="utf-8") as opened:
            opened.write(text)

    def git(self, *words):
        subprocess.run(["git", "-C", self.folder, *words], check=True, env=self.environment, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "test")

    def release(self, *words):
        return subprocess.run([os.path.join(self.folder, "packaging/release"), *words], env=self.environment,
                              capture_output=True, text=True)

    def made(self, *words):
        done = self.release(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return os.path.join(self.folder, "build", f"release-{VERSION}")

    def rejected(self, message, *words):
        done = self.release(*(words or ["--check"]))
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn(message, done.stderr)
        self.assertEqual(glob.glob(os.path.join(glob.escape(self.folder), "build", f"release-{VERSION}*")), [])

    def change(self, file, old, new):
        text = read(file)
        self.assertIn(old, text)
        self.write(file, text.replace(old, new, 1))
        self.commit()


class Versions(Repository):
    def test_a_release_can_be_made(self):
        self.assertIn(f"{VERSION} can be made", self.release("--check").stdout)

    def test_cmake_has_another_version(self):
        self.change("CMakeLists.txt", f"VERSION {VERSION} ", "VERSION 9.8.7 ")
        self.rejected("CHANGELOG.md: the first section is")

    def test_cmake_has_no_version(self):
        self.change("CMakeLists.txt", f" VERSION {VERSION} ", " ")
        self.rejected("CMakeLists.txt: no version")

    def test_the_changelog_is_unreleased(self):
        self.change("CHANGELOG.md", f"## {VERSION} ", "## Unreleased\n\n- Something.\n\n## 0.0.1 ")
        self.rejected("'## Unreleased'")

    def test_the_changelog_has_no_date(self):
        self.write("CHANGELOG.md", re.sub(r"(?m)^## (\S+) .*$", r"## \1", read("CHANGELOG.md")))
        self.commit()
        self.rejected("has no date")

    def test_the_changelog_is_empty(self):
        self.write("CHANGELOG.md", f"# Changelog\n\n## {VERSION} (2026-11-29)\n\n## 0.0.1 (2026-01-01)\n\n- First.\n")
        self.commit()
        self.rejected("is empty")

    def test_a_version_is_not_a_pattern(self):
        self.write("CHANGELOG.md", f"## {VERSION.replace('.', 'x')} (2026-11-29)\n\n- One.\n")
        self.commit()
        self.rejected("CHANGELOG.md")

    def test_pyproject_has_another_version(self):
        self.change("pyproject.toml", 'dynamic = ["version"]', 'version = "0.0.9"')
        self.rejected("pyproject.toml has version 0.0.9")

    def test_pyproject_reads_another_version(self):
        self.change("pyproject.toml", "VERSION (?P", "VERZION (?P")
        self.rejected("pyproject.toml: metadata.version.regex")

    def test_debian_has_another_version(self):
        self.write("debian/changelog", "gpuimg (0.0.9-1) unstable; urgency=medium\n")
        self.commit()
        self.rejected("debian/changelog has version 0.0.9")

    def test_tags(self):
        self.git("tag", f"v{VERSION}")
        self.assertEqual(self.release("--check").returncode, 0)
        self.git("tag", "v0.0.9")
        self.rejected("the commit has the tag v0.0.9")

    def test_the_tree_is_not_clean(self):
        self.write("new file", "")
        self.rejected("new file")
        os.remove(os.path.join(self.folder, "new file"))
        self.write("CHANGELOG.md", read("CHANGELOG.md") + "\n- More.\n")
        self.rejected("CHANGELOG.md")

    def test_an_unknown_part(self):
        self.rejected("no part is called floppy", "--without", "floppy")


class Releases(Repository):
    NO_PACKAGES = [word for part in ("deb", "tarball", "wheels") for word in ("--without", part)]

    def setUp(self):
        super().setUp()
        outside = os.path.dirname(self.folder)
        self.tool = os.path.join(outside, "tools", "cmake")
        self.packages = os.path.join(outside, "packages")
        self.small = CMAKE.format(made=self.packages)
        for folder in ("tools", "packages", "deb/usr/share/doc/gpuimg", "deb/usr/bin", "deb/DEBIAN"):
            os.makedirs(os.path.join(outside, folder))
        self.answer(self.small)
        self.environment["PATH"] = f"{outside}/tools:{self.environment['PATH']}"
        self.make_packages(outside)

    def answer(self, script):
        with open(self.tool, "w", encoding="utf-8") as opened:
            opened.write(script)
        os.chmod(self.tool, 0o755)

    def make_packages(self, outside):
        """A .deb and a tarball with a small executable in place of gpuimg."""
        machine = os.uname().machine
        shutil.copy("/bin/true", f"{outside}/deb/usr/bin/gpuimg")
        self.write("../deb/usr/share/doc/gpuimg/copyright", "MIT\n")
        architecture = subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True).stdout
        self.write("../deb/DEBIAN/control", CONTROL.format(version=VERSION, architecture=architecture.strip()))
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", f"{outside}/deb",
                        f"{self.packages}/gpuimg_{VERSION}-1~test.deb"], check=True, capture_output=True)
        top = f"gpuimg-{VERSION}-linux-{machine}"
        self.write(f"../{top}/share/doc/gpuimg/licenses/versions", VERSIONS)
        self.write(f"../{top}/share/doc/gpuimg/licenses/fmt", "MIT\n")
        os.makedirs(f"{outside}/{top}/bin")
        shutil.copy("/bin/true", f"{outside}/{top}/bin/gpuimg")
        subprocess.run(["tar", "-C", outside, "-czf", f"{self.packages}/{top}.tar.gz", top], check=True)

    def contents(self, folder):
        found = {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as opened:
                found[name] = opened.read()
        return found

    def check_sums(self, folder):
        contents = self.contents(folder)
        sums = dict(reversed(line.split("  ")) for line in contents.pop("SHA256SUMS").decode().splitlines())
        self.assertEqual(sums, {name: hashlib.sha256(bytes).hexdigest() for name, bytes in contents.items()})

    def test_source_notes_and_sums(self):
        folder = self.made(*self.NO_PACKAGES)
        self.assertEqual(set(os.listdir(folder)), {f"gpuimg-{VERSION}.tar.gz", "RELEASE_NOTES.md", "SHA256SUMS"})
        self.check_sums(folder)
        with open(os.path.join(folder, "RELEASE_NOTES.md"), encoding="utf-8") as opened:
            notes = opened.read()
        section = re.search(rf"^## {re.escape(VERSION)} .*?\n\n(.*?)(?=^## |\Z)", read("CHANGELOG.md"), re.M | re.S)[1]
        self.assertEqual(notes.strip(), section.strip())
        listed = subprocess.run(["tar", "-tzf", os.path.join(folder, f"gpuimg-{VERSION}.tar.gz")], check=True,
                                capture_output=True, text=True).stdout.split("\n")
        for file in FILES:
            self.assertIn(f"gpuimg-{VERSION}/{file}", listed)
        self.assertEqual(subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder).returncode, 0)
        self.assertNotEqual(self.release(*self.NO_PACKAGES).returncode, 0)  # the folder exists

    def test_packages_and_a_second_release(self):
        folder = self.made("--without", "wheels")
        first = self.contents(folder)
        packages = os.listdir(self.packages)
        self.assertEqual(set(first), {f"gpuimg-{VERSION}.tar.gz", "RELEASE_NOTES.md", "SHA256SUMS", *packages} |
                         {f"{name}.cdx.json" for name in packages})
        self.check_sums(folder)
        for name in packages:
            names = {entry["name"] for entry in json.loads(first[f"{name}.cdx.json"])["components"]}
            self.assertEqual(names, {"libc6"} if name.endswith(".deb") else {"glibc", "fmt"})
        shutil.rmtree(folder)
        self.environment["TZ"] = "Asia/Tokyo"
        self.make_packages_again()
        self.assertEqual(self.contents(self.made("--without", "wheels")), first)

    def make_packages_again(self):
        """Packs the files of the tarball in another order and with another time, as on another file system."""
        (tarball,) = glob.glob(f"{glob.escape(self.packages)}/*.tar.gz")
        top = os.path.basename(tarball).removesuffix(".tar.gz")
        subprocess.run(["tar", "-C", os.path.dirname(self.folder), "--no-recursion", "--mtime=2020-01-01", "-czf", tarball,
                        f"{top}/share/doc/gpuimg/licenses/versions", f"{top}/share/doc/gpuimg/licenses/fmt",
                        f"{top}/share/doc/gpuimg/licenses", f"{top}/share/doc/gpuimg", f"{top}/share/doc", f"{top}/share",
                        f"{top}/bin/gpuimg", f"{top}/bin", top], check=True)

    def test_a_deb_of_another_architecture_comes_with_its_sbom(self):
        other = "arm64" if os.uname().machine == "x86_64" else "amd64"
        outside, place = os.path.dirname(self.folder), os.path.join(self.folder, "build/packages/test-arm64")
        os.makedirs(place)
        self.write("../deb/DEBIAN/control", CONTROL.format(version=VERSION, architecture=other))
        name = f"gpuimg_{VERSION}-1~test_arm64.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", f"{outside}/deb", os.path.join(place, name)],
                       check=True, capture_output=True)
        folder = self.made(*self.NO_PACKAGES)
        made = os.listdir(folder)
        self.assertIn(name, made)
        self.assertNotIn(f"{name}.cdx.json", made)
        with open(os.path.join(place, f"{name}.cdx.json"), "w") as sbom:
            sbom.write("{}")
        shutil.rmtree(folder)
        self.assertIn(f"{name}.cdx.json", os.listdir(self.made(*self.NO_PACKAGES)))

    def test_a_part_that_fails_leaves_nothing(self):
        self.answer("#!/bin/sh\nexit 3\n")
        self.rejected("", "--without", "wheels")
        self.answer("#!/bin/sh\nexit 0\n")  # makes nothing
        self.rejected("was not made", "--without", "wheels", "--without", "tarball")

    def test_a_tree_that_changes_meanwhile(self):
        self.answer(self.small.replace("mkdir -p", f"touch '{self.folder}/new'; mkdir -p"))
        self.rejected("has changed meanwhile", "--without", "wheels", "--without", "tarball")

    def test_a_package_without_a_list_of_versions(self):
        (tarball,) = glob.glob(f"{glob.escape(self.packages)}/*.tar.gz")
        with open(tarball, "wb") as opened:
            subprocess.run(["tar", "-C", self.folder, "-cz", "packaging"], check=True, stdout=opened)
        self.rejected("no list of versions", "--without", "wheels", "--without", "deb")


def needed_by(executable):
    text = subprocess.run(["readelf", "-dW", executable], check=True, capture_output=True, text=True,
                          env=os.environ | {"LC_ALL": "C"}).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", text))


def sonames_of(entry):
    return {item["value"] for item in entry["properties"] if item["name"] == "gpuimg:soname"}


def faults_of(bill, executable, contained):
    """What is missing or malformed in an SBOM. `contained`: names of components that the SBOM must have."""
    found = []
    root = bill["metadata"]["component"]
    refs = [root["bom-ref"]] + [entry["bom-ref"] for entry in bill["components"]]
    if (bill["bomFormat"], bill["specVersion"]) != ("CycloneDX", "1.6"):
        found.append("format")
    if not re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"]):
        found.append("serialNumber")
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bill["metadata"]["timestamp"]):
        found.append("timestamp")
    if len(set(refs)) != len(refs):
        found.append("bom-ref is not unique")
    if root["version"] != VERSION or not re.fullmatch(r"[0-9a-f]{64}", root["hashes"][0]["content"]):
        found.append("metadata.component")
    for entry in bill["components"]:
        if entry["type"] != "library" or not entry["version"] or not re.fullmatch(r"pkg:[a-z]+/[^\s]+", entry["purl"]):
            found.append(f"{entry['name']}: type, version or purl")
        if not all(("expression" in one) != ("license" in one) for one in entry["licenses"]) or not entry["licenses"]:
            found.append(f"{entry['name']}: licenses")
    first, *others = bill["dependencies"]
    rest = set(refs[1:])
    if first["ref"] != refs[0] or set(first["dependsOn"]) != rest or {entry["ref"] for entry in others} != rest:
        found.append("dependencies")
    sonames = set().union(*(sonames_of(entry) for entry in bill["components"]))
    found += [f"no component has {soname}" for soname in sorted(needed_by(executable) - sonames)]
    names = {entry["name"] for entry in bill["components"]}
    return found + [f"no component is called {name}" for name in sorted(contained - names)]


class Bills(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def bill_of(self, file):
        out = os.path.join(self.folder, "out.json")
        subprocess.run([os.path.join(SOURCE, "packaging/write_sbom"), file, out], check=True)
        with open(out, encoding="utf-8") as opened:
            text = opened.read()
        try:
            from cyclonedx.schema import SchemaVersion
            from cyclonedx.validation.json import JsonStrictValidator
            self.assertIsNone(JsonStrictValidator(SchemaVersion.V1_6).validate_str(text))
        except ImportError:
            print("not tried: the schema, which needs the Python package cyclonedx-python-lib[json-validation]")
        return json.loads(text)

    def check(self, bill, executable, contained):
        with open(executable, "rb") as opened:
            if b"CUDA driver version is insufficient" in opened.read():
                contained = contained | {"cuda"}
        self.assertEqual(faults_of(bill, executable, contained), [])
        for i, removed in enumerate(bill["components"]):  # the check must notice if any component is missing
            if sonames_of(removed) & needed_by(executable) or removed["name"] in contained:
                without = copy.deepcopy(bill)
                del without["components"][i]
                self.assertNotEqual(faults_of(without, executable, contained), [], removed["name"])

    @unittest.skipUnless(DEB, "the build made no .deb")
    def test_deb(self):
        subprocess.run(["dpkg-deb", "-x", DEB, self.folder], check=True)
        bill = self.bill_of(DEB)
        self.check(bill, f"{self.folder}/usr/bin/gpuimg", {"libcli11-dev", "libstb-dev", "nlohmann-json3-dev"})
        patterns = [f"*/{soname}" for entry in bill["components"] for soname in sonames_of(entry)]
        owners = subprocess.run(["dpkg-query", "-S", *patterns], check=True, capture_output=True, text=True).stdout
        for entry in bill["components"]:
            for soname in sonames_of(entry):
                self.assertRegex(owners, rf"(?m)^{re.escape(entry['name'])}:.*/{re.escape(soname)}$")
        with open(DEB, "rb") as opened:
            self.assertEqual(bill["metadata"]["component"]["hashes"][0]["content"], hashlib.sha256(opened.read()).hexdigest())

    @unittest.skipUnless(TARBALL, "the build made no tarball")
    def test_tarball(self):
        subprocess.run(["tar", "-xzf", TARBALL, "-C", self.folder, "--strip-components=1"], check=True)
        licenses = f"{self.folder}/share/doc/gpuimg/licenses"
        contained = {name.removesuffix("-static") for name in os.listdir(licenses)} - {"common-licenses", "versions"}
        bill = self.bill_of(TARBALL)
        self.check(bill, f"{self.folder}/bin/gpuimg", contained | {"glibc"})
        bundled = {os.path.basename(file) for file in glob.glob(f"{self.folder}/lib/gpuimg/*.so*")}
        self.assertLessEqual(set().union(*(sonames_of(entry) for entry in bill["components"] if entry["name"] != "glibc")),
                             bundled)

    def test_a_file_that_is_not_a_package(self):
        for name in ("gpuimg_1.0-1_amd64.deb", "gpuimg-1.0-linux.tar.gz", "gpuimg-1.0-x.whl", "gpuimg-1.0.zip", "other.deb"):
            file = os.path.join(self.folder, name)
            with open(file, "w", encoding="utf-8") as opened:
                opened.write("not a package")
            done = subprocess.run([os.path.join(SOURCE, "packaging/write_sbom"), file, f"{file}.json"], capture_output=True,
                                  text=True)
            self.assertEqual(done.returncode, 1, name)
            self.assertRegex(done.stderr, "^write_sbom: ", name)
            self.assertNotIn("Traceback", done.stderr, name)
            self.assertEqual(glob.glob(f"{glob.escape(file)}.json*"), [], name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
