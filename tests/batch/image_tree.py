"""Generates trees of small images: nested folders, names with spaces and several scripts, some broken files.

usage: image_tree.py FOLDER COUNT WIDTHxHEIGHT BROKEN [SEED]     prints the relative paths of the broken files
"""
import importlib.machinery
import importlib.util
import os
import random
import sys

MAKE_IMAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "support", "make_image")
FOLDERS = ["", "a", "a/b", "a/b/deeper still", "été à Zürich", "写真/二〇二六", "-dash", "#1, 100 %"]
STEMS = ["image", "with space", "größe", "снимок", "図", "quote'", "semi;colon", "dots.in.name"]


def load_make_image():
    """Imports the image generators of the command-line tests, which are a program without the extension .py."""
    loader = importlib.machinery.SourceFileLoader("make_image", MAKE_IMAGE)
    spec = importlib.util.spec_from_loader("make_image", loader)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


make_image = load_make_image()


def broken_files(good, size):
    """Broken files that every reader must reject, in the order in which write() uses them."""
    middle = len(good) // 2
    flipped = bytes([good[middle] ^ 0x55])
    return [
        good[:middle],  # truncated
        b"",
        b"this is text, whatever the name says\n",
        good[:middle] + flipped + good[middle + 1 :],  # one damaged byte
        make_image.bomb(size),  # declares pixels that the file lacks
    ]


def relative_path(index):
    folder = FOLDERS[index % len(FOLDERS)]
    stem = STEMS[index // len(FOLDERS) % len(STEMS)]
    return os.path.join(folder, f"{stem} {index:05}.png")


def write(folder, count, size, broken=0, seed=1):
    """Writes `count` noise images, `broken` of them unreadable; returns the sorted paths of the broken ones."""
    pick = random.Random(seed)
    broken_at = sorted(pick.sample(range(count), broken))
    for name in FOLDERS:
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    for index in range(count):
        content = make_image.noise_png(size, pick.choice(["gray", "rgb", "rgba"]), "8", str(seed * 1_000_003 + index))
        if index in broken_at:
            broken_ones = broken_files(content, size)
            content = broken_ones[broken_at.index(index) % len(broken_ones)]
        with open(os.path.join(folder, relative_path(index)), "wb") as file:
            file.write(content)
    return sorted(relative_path(index) for index in broken_at)


def main(arguments):
    folder, count, size, broken = arguments[:4]
    seed = int(arguments[4]) if len(arguments) > 4 else 1
    for path in write(folder, int(count), make_image.size_of(size), int(broken), seed):
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
