# --background replaces alpha after the operation, with every notation for colors; without alpha it has no effect.
make_image png in.png 31x17 rgba
for color in '#ffffff' '#FFF' ffffff fff 255,255,255 White; do
  gpuimg equalize --force --background "$color" in.png out.png && cmp out.png "${first:=out.png}"
  cp out.png first.png && first=first.png
done
# 3x1 pixels, gray with alpha: 200 over transparent, half and opaque.
python3 - <<'END'
import struct, zlib
def chunk(name, body): return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
def png(name, kind, pixels):
    open(name, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 1, 8, kind, 0, 0, 0)) +
                           chunk(b"IDAT", zlib.compress(b"\0" + bytes(pixels))) + chunk(b"IEND", b""))
png("gray.png", 4, [200, 0, 200, 128, 200, 255])
png("rgba.png", 6, [200, 100, 0, 0, 200, 100, 0, 128, 200, 100, 0, 255])
END
show() { gpuimg equalize --strength 0 --force --depth 16 --background "$1" "$2" shown.png && python3 -c '
import sys, zlib
data = open("shown.png", "rb").read()
at, idat = 8, b""
while at < len(data):
    size, name = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
    idat += data[at + 8:at + 8 + size] if name == b"IDAT" else b""
    at += 12 + size
row = zlib.decompress(idat)
channels, left = {0: 1, 2: 3}[data[25]], row[0] == 1
levels = list(row[1:])
assert row[0] in (0, 1), row[0]
for i in range(2 * channels, len(levels)): levels[i] = (levels[i] + (levels[i - 2 * channels] if left else 0)) % 256
print([levels[i] * 256 + levels[i + 1] for i in range(0, len(levels), 2)])'; }
show black gray.png
show 0,0,0 rgba.png
show red gray.png
gpuimg equalize --strength 0 --background white gray.png flat.png
gpuimg hsl --hue 0 --background white gray.png same.png && cmp flat.png same.png
make_image png opaque.png 9x9
gpuimg equalize opaque.png plain.png
gpuimg equalize --background red opaque.png red.png && cmp plain.png red.png
gpuimg equalize -v --force --background red opaque.png red.png 2>&1 | grep background
expect 2 gpuimg equalize --background whit in.png no.png 2>&1
expect 2 gpuimg equalize --background 1,2,256 in.png no.png 2>&1
expect 2 gpuimg hsl --background white in.png no.png 2>&1
