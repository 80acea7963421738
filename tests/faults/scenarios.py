"""Scenarios of the sweeps: formats, operations, kinds of output, and batches."""
import struct
import subprocess
import tarfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

MAKE_IMAGE = str(Path(__file__).parent.parent / "cli/support/make_image")


def make(work, *words):
    subprocess.run([MAKE_IMAGE, *words[:1], *(str(word) for word in words[1:])], cwd=work, check=True)


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def put_behind_header(work, chunks):
    make(work, "png", "plain.png", "19x11", "rgb", "8")
    content = (work / "plain.png").read_bytes()
    (work / "plain.png").unlink()
    (work / "in.png").write_bytes(content[:33] + chunks + content[33:])


def transparent_color(work):
    """A PNG that the fast path leaves to libpng."""
    put_behind_header(work, chunk(b"tRNS", bytes(6)))


def text_chunks(work):
    """A photograph with PNG metadata: text chunks, an invalid ICC profile, EXIF data."""
    extra = (chunk(b"iCCP", b"name\0\0" + zlib.compress(bytes(200))) + chunk(b"eXIf", b"II*\0\x08\0\0\0\0\0\0\0\0\0") +
             chunk(b"tEXt", b"Title\0a photograph") + chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"long " * 50)))
    put_behind_header(work, extra)


def bmp(work):
    pixels = bytes(range(3 * 4)) * 3
    (work / "in.bmp").write_bytes(struct.pack("<2sIHHI", b"BM", 54 + len(pixels), 0, 0, 54) +
                                  struct.pack("<IiiHHIIiiII", 40, 4, 3, 1, 24, 0, len(pixels), 0, 0, 0, 0) + pixels)


def gif(work):
    # 2x2, four colors; codes 4 (clear), 0, 1, 2, 3, 5 (end): 3 bits each, 4 bits after the fourth code
    (work / "in.gif").write_bytes(b"GIF89a\x02\0\x02\0\x81\0\0" + bytes(range(12)) +
                                  b",\0\0\0\0\x02\0\x02\0\0\x02\x03\x44\x34\x05\0;")


def psd(work):
    (work / "in.psd").write_bytes(b"8BPS" + struct.pack(">H6xHIIHH", 1, 3, 2, 2, 8, 3) + bytes(12) + bytes(2) + bytes(range(12)))


@dataclass
class Scenario:
    name: str
    arguments: list
    make_inputs: callable
    old_files: tuple = ()
    one_output: bool = True  # a failure leaves no output
    is_batch: bool = False
    exit_code: int = 0
    logs: tuple = field(default_factory=tuple)
    manifest: str = ""  # the batch's manifest, whose records are compared with the files
    items: int = 0  # number of items of a batch with a manifest
    damaged: int = 0  # number of items whose input is damaged
    merges: bool = False
    in_turn: bool = False  # one image at a time: nothing is processed after the device is lost
    whole_or_nothing: bool = True  # an output equals the output of a run without faults, or is absent
    archive: str = ""  # the output archive, which may lack the images that failed
    cuda: bool = False
    compares: bool = False  # results are compared with the CPU's; not used if kernels do nothing
    can_do_without: bool = False  # `auto`: the CPU takes over with a note if the device fails
    timeout: int = 20
    always: str = ""  # faults in every run, which force the code path under test

    def is_log(self, name):
        return name in self.logs or name == self.manifest


def png(size, *rest):
    return lambda work: make(work, "png", "in.png", size, *rest)


def small_window(work):
    """A PNG that cannot be read in bands because its zlib window is 512 bytes, and a second such PNG as its mask."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    for name, times in ("in.png", 7), ("mask.png", 0):
        rows = b"".join(b"\0" + bytes((times * x * y + x // 9 % 2) % 256 for x in range(60)) for y in range(40))
        packer = zlib.compressobj(9, zlib.DEFLATED, 9)
        (work / name).write_bytes(b"\x89PNG\r\n\x1a\n" +
                                  chunk(b"IHDR", struct.pack(">IIBBBBB", 60, 40, 8, 0, 0, 0, 0)) +
                                  chunk(b"IDAT", packer.compress(rows) + packer.flush()) + chunk(b"IEND", b""))


def one(name, operation, make_inputs, *words, **more):
    return Scenario(name, [operation, "--backend", "cpu", "--threads", "2", *words], make_inputs, **more)


def folder(work):
    (work / "in").mkdir()
    for i in range(4):
        make(work, "png", f"in/{i}.png", f"{20 + i}x9", "rgb", "8", i)
    make(work, "jpeg", "in/j.jpg")
    make(work, "ppm", "in/p.ppm", "9x7")


def pair(work):
    (work / "in").mkdir()
    make(work, "png", "in/1.png", "40x30", "rgb", "8", 1)
    make(work, "png", "in/2.png", "40x30", "rgb", "16", 2)


def folder_with_damage(work):
    folder(work)
    (work / "in" / "2.png").write_bytes((work / "in" / "2.png").read_bytes()[:200])


def archive(name, *more, mode="w"):
    """An archive of images and other members; workers read and write its large members themselves."""
    def make_archive(work):
        make(work, "png", "small.png", "20x9")
        make(work, "ppm", "wide.ppm", "200x150")
        make(work, "jpeg", "photo.jpg", "64x32")
        (work / "label.json").write_bytes(b"{}")
        (work / "notes.txt").write_bytes(bytes(range(256)) * 300)
        (work / "large.bin").write_bytes(bytes(range(251)) * 5000)
        make(work, "cut", "small.png", "cut.png", 60)
        names = ["wide.ppm", "label.json", "small.png", "notes.txt", *more, "large.bin", "photo.jpg"]
        with tarfile.open(work / name, mode) as out:
            for member in names:
                out.add(work / member)
        for file in (*names, "cut.png"):
            (work / file).unlink(missing_ok=True)
    return make_archive


def of_archive(name, words, make_inputs, **more):
    return one(name, *words[:1], make_inputs, "--jobs", "2", "-q", *words[1:], is_batch=True, **more)


SCENARIOS = [
    one("equalize_png", "equalize", png("60x40"), "in.png", "out.png"),
    one("equalize_png_large", "equalize", png("1500x1100"), "in.png", "out.png"),
    one("equalize_png_metadata", "equalize", text_chunks, "in.png", "out.png"),
    one("equalize_png_by_libpng", "equalize", transparent_color, "in.png", "out.png"),
    one("equalize_png_to_jpeg", "equalize", png("60x40"), "in.png", "out.jpg"),
    one("equalize_png_to_bmp", "equalize", png("31x7"), "in.png", "out.bmp"),
    one("equalize_png_to_tga", "equalize", png("31x7", "rgba"), "in.png", "out.tga"),
    one("equalize_force", "equalize", png("60x40"), "--force", "in.png", "out.png", old_files=("out.png",)),
    one("equalize_stdout", "equalize", png("60x40"), "in.png", "-"),
    one("equalize_lut", "equalize", png("30x20"), "--lut", "lut.csv", "in.png", "out.png", one_output=False),
    one("equalize_clahe", "equalize", png("60x40"), "--clahe", "--tiles", "2x2", "in.png", "out.png"),
    one("equalize_clahe_gray16", "equalize", png("90x60", "gray", "16"), "--clahe", "--tiles", "5x3", "in.png", "out.png"),
    one("equalize_match", "equalize", png("60x40"), "--match", "in.png", "in.png", "out.png"),
    one("equalize_stretch", "equalize", png("60x40"), "--formula", "stretch", "--lut", "lut.csv", "in.png", "out.png",
        one_output=False),
    one("equalize_jpeg", "equalize", lambda work: make(work, "jpeg", "in.jpg"), "in.jpg", "out.jpg"),
    one("equalize_jpeg_in_parts", "equalize", lambda work: make(work, "jpeg", "in.jpg", "1024x640"), "in.jpg", "out.png"),
    one("equalize_ppm", "equalize", lambda work: make(work, "ppm", "in.ppm", "20x10"), "in.ppm", "out.png"),
    one("equalize_bmp", "equalize", bmp, "in.bmp", "out.png"),
    one("equalize_gif", "equalize", gif, "in.gif", "out.png"),
    one("equalize_psd", "equalize", psd, "in.psd", "out.png"),
    one("hist_stdout", "hist", png("60x40"), "in.png"),
    one("hist_json", "hist", png("60x40", "gray", "16"), "in.png", "out.json"),
    one("hist_svg", "hist", png("60x40", "rgba"), "--channel", "rgb", "in.png", "out.svg"),
    one("hist_hue", "hist", png("60x40"), "--channel", "h", "in.png", "out.csv"),
    one("hist_mask", "hist", small_window, "--mask", "mask.png", "in.png", "out.json"),
    one("equalize_mask", "equalize", small_window, "--mask", "mask.png", "--lut", "lut.csv", "in.png", "out.png",
        one_output=False),
    one("integral_npy", "integral", png("60x40"), "in.png", "out.npy"),
    one("integral_png", "integral", png("900x700", "gray"), "in.png", "out.png"),
    one("integral_csv", "integral", png("30x20", "gray", "16"), "in.png", "out.csv"),
    one("integral_mean", "integral", png("60x40", "rgba"), "--mean", "5", "in.png", "out.png"),
    one("integral_deviation", "integral", png("60x40"), "--deviation", "15", "in.png", "out.npy"),
    one("threshold_otsu", "threshold", png("60x40"), "in.png", "out.png"),
    one("threshold_sauvola", "threshold", png("60x40", "gray", "16"), "--method", "sauvola", "in.png", "out.tif"),
    one("threshold_wolf", "threshold", png("60x40", "rgba"), "-q", "--method", "wolf", "in.png", "out.png"),
    one("threshold_classes", "threshold", png("60x40", "gray", "16"), "--flatten", "9", "--classes", "5", "in.png",
        "out.png"),
    one("denoise", "denoise", png("60x40"), "in.png", "out.png"),
    one("deskew", "deskew", png("60x40", "rgba", "16"), "-q", "in.png", "out.png"),
    one("despeckle", "threshold", png("60x40"), "in.png", "out.png", "--then", "despeckle", "--color", "both"),
    one("hsl_npy", "hsl", png("60x40"), "in.png", "out.npy"),
    one("hsl_planes", "hsl", png("60x40"), "--planes", "in.png", "out.png", one_output=False),
    one("hsl_adjust", "hsl", png("60x40"), "--hue", "30", "in.png", "out.png"),
    one("compare_pictures", "compare", pair, "-q", "--min-ssim", "-1", "--side-by-side", "beside.png", "in/1.png", "in/2.png",
        "red.png", one_output=False),
    one("batch_compare", "compare", pair, "-q", "--jobs", "1", "in", "in", "pairs.csv", is_batch=True,
        whole_or_nothing=False),
    one("batch_duplicates", "duplicates", folder, "--table", "--jobs", "1", "-q", "--manifest", "done.jsonl", "in",
        "groups.csv", one_output=False, is_batch=True, manifest="done.jsonl", items=6, merges=True, whole_or_nothing=False),
    one("steps", "denoise", png("60x40"), "--search", "3", "in.png", "out.png", "--then", "equalize", "--clahe", "--tiles", "2x2",
        "--then", "threshold"),
    one("batch_steps", "denoise", folder, "--search", "3", "--jobs", "1", "-q", "--manifest", "done.jsonl", "in", "out",
        "--then", "equalize", "--then", "hsl", "--hue", "30", one_output=False, is_batch=True, manifest="done.jsonl", items=6, in_turn=True),
    one("batch", "equalize", folder, "--jobs", "2", "-q", "in", "out", one_output=False, is_batch=True),
    one("batch_manifest", "hsl", folder, "--jobs", "1", "-q", "--manifest", "done.jsonl", "in", "out",
        one_output=False, is_batch=True, manifest="done.jsonl", items=6, in_turn=True),
    one("batch_jobs", "equalize", folder, "--jobs", "2", "--timing", "-v", "--manifest", "done.jsonl", "in", "out",
        one_output=False, is_batch=True, manifest="done.jsonl", items=6),
    one("batch_damage", "equalize", folder_with_damage, "--jobs", "2", "-q", "--force", "--manifest", "done.jsonl", "in",
        "out", one_output=False, is_batch=True, exit_code=1, manifest="done.jsonl", items=6, damaged=1),
    one("batch_hist", "hist", folder, "-q", "in", "sums", one_output=False, is_batch=True),
    one("batch_hist_stdout", "hist", folder, "-q", "--jobs", "2", "in", is_batch=True, whole_or_nothing=False),
    one("batch_table", "hist", folder, "--table", "-q", "--jobs", "2", "in", "stats.csv", is_batch=True,
        whole_or_nothing=False),
    one("batch_merge", "hist", folder, "--merge", "--jobs", "1", "-q", "--manifest", "done.jsonl", "in", "sum.csv",
        one_output=False, is_batch=True, manifest="done.jsonl", items=6, merges=True, whole_or_nothing=False),
    of_archive("archive", ["equalize", "in.tar", "out.tar"], archive("in.tar"), archive="out.tar"),
    of_archive("archive_in_memory", ["equalize", "in.tar", "out.tar"], archive("in.tar"), archive="out.tar",
               always="shared:1+"),
    of_archive("archive_gzip", ["equalize", "in.tar.gz", "out.tar"], archive("in.tar.gz", mode="w:gz"),
               archive="out.tar"),
    of_archive("archive_stdout", ["hsl", "--planes", "in.tar", "-"], archive("in.tar")),
    of_archive("archive_damage", ["equalize", "--force", "in.tar", "out.tar"], archive("in.tar", "cut.png"),
               archive="out.tar", exit_code=1, old_files=("out.tar",)),
    of_archive("archive_table", ["hist", "--table", "in.tar", "stats.csv"], archive("in.tar"),
               whole_or_nothing=False),
]
