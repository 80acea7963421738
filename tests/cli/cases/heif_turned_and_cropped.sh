# A rotated, mirrored and cropped AVIF with subsampled chroma and odd sides has the pixels of the stored image after
# these transformations. `info` lists the transformations, wherever the properties are stored and whatever EXIF says.
case $(gpuimg version) in *AV1*) ;; *) echo 'no decoder of AV1'; exit 77 ;; esac
cat >files.py <<'P'
import base64, struct

DATA = base64.b64decode("EgAKCBgIpmCBAQNCMkYTQAIIIIQAUU/MqZ0CVbI7s7V54DSWHWph84SkoelSUYnQxMI9jg4J/LN0dPRvoGs/QClPa9GvuxDm0KhEQPpvgdV+m8uM")
EXIF = struct.pack(">I2sHIHHHIHHI", 0, b"MM", 42, 8, 1, 0x112, 3, 1, 6, 0, 0)


def box(kind, content):
    return struct.pack(">I", len(content) + 8) + kind + content


def full(kind, content, version=0):
    return box(kind, bytes([version, 0, 0, 0]) + content)


def heif(transformations, first=False, brand=b"avif", exif=False):
    """An image of 5x7 pixels. With `first`, the transformations come before the size property."""
    size = [full(b"ispe", struct.pack(">2I", 5, 7))]
    properties = [box(b"av1C", b"\x81\0\x0c\0")] + (transformations + size if first else size + transformations)
    items = [(b"av01", DATA)] + ([(b"Exif", EXIF)] if exif else [])
    links = struct.pack(">IHB", 1, 1, len(properties)) + bytes(range(1, len(properties) + 1))
    infos = b"".join(full(b"infe", struct.pack(">2H", i + 1, 0) + kind + b"\0", 2) for i, (kind, _) in enumerate(items))
    beginning = box(b"ftyp", brand + b"\0\0\0\0mif1miafavif")

    def meta(offset):
        places = struct.pack(">2H", 0x4400, len(items))
        for i, (_, data) in enumerate(items):
            places += struct.pack(">3H2I", i + 1, 0, 1, offset, len(data))
            offset += len(data)
        return full(b"meta", full(b"hdlr", b"\0\0\0\0pict" + bytes(13)) + full(b"pitm", b"\0\1") +
                    full(b"iloc", places) + full(b"iinf", struct.pack(">H", len(items)) + infos) +
                    box(b"iprp", box(b"ipco", b"".join(properties)) + full(b"ipma", links)) +
                    (full(b"iref", box(b"cdsc", struct.pack(">3H", 2, 1, 1))) if exif else b""))

    return beginning + meta(len(beginning) + len(meta(0)) + 8) + box(b"mdat", b"".join(data for _, data in items))


def turned(rows, transformation):
    kind, content = transformation[4:8], transformation[8:]
    if kind == b"irot":
        for _ in range(content[0]):
            rows = [list(row) for row in zip(*rows)][::-1]
    elif kind == b"imir":
        rows = [row[::-1] for row in rows] if content[0] else rows[::-1]
    else:
        width, _, height, _, x, _, y, _ = struct.unpack(">4I4i", content)
        left, top = x + (len(rows[0]) - width) // 2, y + (len(rows) - height) // 2
        rows = [row[left:left + width] for row in rows[top:top + height]]
    return rows


def pixels(name):
    """The rows of pixels of an 8-bit PPM."""
    with open(name, "rb") as file:
        _, size, _, data = file.read().split(b"\n", 3)
    width = int(size.split()[0])
    colors = [data[i:i + 3] for i in range(0, len(data), 3)]
    return [colors[i:i + width] for i in range(0, len(colors), width)]
P
cat >check.py <<'P'
import itertools, json, subprocess
from files import *

turns = [box(b"irot", bytes([quarters])) for quarters in (1, 2, 3)]
mirrors = [box(b"imir", bytes([axis])) for axis in (0, 1)]
crops = [box(b"clap", struct.pack(">4I4i", width, 1, height, 1, x, 1, y, 1)) for width, height, x, y in
         ((3, 5, 1, -1), (3, 3, 0, 1), (1, 1, 0, 0))]
wholes = [[one] for one in turns + mirrors + crops] + [[a, b] for a, b in itertools.permutations(turns + mirrors, 2)]
wholes += [[turns[1], crops[0]], [crops[0], turns[0]], [mirrors[1], crops[0], turns[2]], [crops[0], turns[0], mirrors[0]]]


def read(name):
    subprocess.run(["gpuimg", "equalize", "--strength", "0", "--force", "--quiet", name, "out.ppm"], check=True)
    return pixels("out.ppm")


def write(name, content):
    with open(name, "wb") as file:
        file.write(content)


write("plain.avif", heif([]))
stored = read("plain.avif")
for number, transformations in enumerate(wholes):
    expected = stored
    for transformation in transformations:
        expected = turned(expected, transformation)
    for first in (False, True):
        write("turned.avif", heif(transformations, first, exif=number % 2 == 0))
        names = [one[4:8].decode() for one in transformations]
        if read("turned.avif") != expected:
            print("other pixels:", names, first)
        info = json.loads(subprocess.run(["gpuimg", "info", "--json", "turned.avif"], capture_output=True).stdout)
        size = [len(expected[0]), len(expected)]
        if [info["upright_width"], info["upright_height"]] != size or info["orientation"] != 1:
            print("info differs:", names, first, info["upright_width"], info["upright_height"], info["orientation"])
write("rare.heif", heif([], brand=b"rare"))
print("read" if read("rare.heif") == stored else "not read")
without_length = heif([])
at = without_length.index(b"meta") - 4
write("endless.avif", without_length[:at] + bytes(4) + without_length[at + 4:])
P
python3 check.py
expect 3 gpuimg equalize endless.avif out.png
