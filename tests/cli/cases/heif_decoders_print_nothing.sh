# A damaged AVIF causes one line, printed by gpuimg; dav1d prints nothing.
case $(gpuimg version) in *AV1*) ;; *) echo 'no decoder of AV1'; exit 77 ;; esac
python3 - <<'P'
import struct


def box(kind, content):
    return struct.pack(">I", len(content) + 8) + kind + content


def full(kind, content, version=0):
    return box(kind, bytes([version, 0, 0, 0]) + content)


def avif(data):
    properties = [full(b"ispe", struct.pack(">2I", 8, 6)), box(b"av1C", b"\x81\0\x0c\0")]
    beginning = box(b"ftyp", b"avif\0\0\0\0mif1miaf")

    def meta(offset):
        return full(b"meta", full(b"hdlr", b"\0\0\0\0pict" + bytes(13)) + full(b"pitm", b"\0\1") +
                    full(b"iloc", struct.pack(">5H2I", 0x4400, 1, 1, 0, 1, offset, len(data))) +
                    full(b"iinf", b"\0\1" + full(b"infe", b"\0\1\0\0av01\0", 2)) +
                    box(b"iprp", box(b"ipco", b"".join(properties)) + full(b"ipma", b"\0\0\0\1\0\1\2\1\2")))

    return beginning + meta(len(beginning) + len(meta(0)) + 8) + box(b"mdat", data)


whole = bytes.fromhex("12000a081808bd60810103423215100000"
                      "8a0cd074b672b74a41e1cfb2424a65ee5560")
for name, data in (("whole", whole), ("other", b"not AV1 at all"), ("short", whole[:20])):
    with open(name + ".avif", "wb") as file:
        file.write(avif(data))
P
gpuimg equalize --quiet whole.avif out.png
for name in other short; do
  expect 3 gpuimg equalize $name.avif $name.png
done
