# gpuimg starts to read a PNG in bands, and reads it again as a whole if its zlib window is below 32 KiB. The mask, the
# region and the checks apply to the second pass.
python3 - <<'P'
import struct, zlib
WIDTH, HEIGHT = 40, 30
def chunk(name, data): return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
def png(name, rows):
    for bits in range(9, 15):
        packer = zlib.compressobj(9, zlib.DEFLATED, bits)
        data = packer.compress(b"".join(b"\0" + row for row in rows)) + packer.flush()
        with open(f"{name}.{bits}.png", "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0)) +
                       chunk(b"IDAT", data) + chunk(b"IEND", b""))
rows = [bytes((7 * x * y + x) % 256 for x in range(WIDTH)) for y in range(HEIGHT)]
mask = [bytes(255 if 4 <= x < 24 and 5 <= y < 21 else 0 for x in range(WIDTH)) for y in range(HEIGHT)]
png("in", rows)
png("mask", mask)
for name, image in ("in", rows), ("mask", mask):
    with open(f"{name}.pgm", "wb") as file:
        file.write(b"P5\n%d %d\n255\n" % (WIDTH, HEIGHT) + b"".join(image))
P
gpuimg hist in.pgm --mask mask.pgm --json | grep -o '"counted": [0-9]*'
try() {  # try WORDS…: every window must give the same result as the PGM
  gpuimg "$@" in.pgm --mask mask.pgm >expected
  for bits in 9 10 11 12 13 14; do
    gpuimg "$@" in.$bits.png --mask mask.$bits.png >found || echo "$* of window $bits: exit $?"
    cmp expected found
  done
}
try hist
try hist --roi 0,0,20,20 --cumulative
try hist --merge -q
gpuimg hist --table in.pgm --mask mask.pgm - -q | cut -d, -f 2- >expected
for bits in 9 14; do gpuimg hist --table in.$bits.png - -q --mask mask.$bits.png | cut -d, -f 2- | cmp expected -; done
gpuimg equalize in.pgm expected.pgm --mask mask.pgm --lut expected.csv
for bits in 9 14; do
  gpuimg equalize in.$bits.png o.$bits.pgm --mask mask.$bits.png --lut $bits.csv && cmp expected.pgm o.$bits.pgm && cmp expected.csv $bits.csv
  gpuimg equalize in.$bits.png a.$bits.pgm --mask mask.$bits.png --apply expected.csv && cmp expected.pgm a.$bits.pgm
done
gpuimg hist - --mask mask.9.png <in.9.png | cmp - <(gpuimg hist in.pgm --mask mask.pgm)
