# Arrays of uint8 and uint16 are accepted as images everywhere: alone, from a pipe, in folders, together with other
# formats.
python3 - <<'P'
def npy(name, descr, shape, data, order="False"):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    open(name, "wb").write(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode() + data)

rgb = bytes(i * 37 % 256 for i in range(20 * 30 * 3))
open("rgb.ppm", "wb").write(b"P6 30 20 255\n" + rgb)
npy("rgb.npy", "|u1", (20, 30, 3), rgb)
gray = [i * 977 % 65536 for i in range(20 * 30)]
big = b"".join(v.to_bytes(2, "big") for v in gray)
open("gray.pgm", "wb").write(b"P5 30 20 65535\n" + big)
npy("big.npy", ">u2", (20, 30), big)
npy("little.npy", "<u2", (20, 30, 1), b"".join(v.to_bytes(2, "little") for v in gray))
npy("floats.npy", "<f4", (2, 3), bytes(24))
npy("columns.npy", "|u1", (20, 30, 3), rgb, "True")
P
gpuimg compare rgb.npy rgb.ppm
gpuimg compare big.npy gray.pgm
gpuimg compare little.npy big.npy
gpuimg hist rgb.ppm expected.csv && gpuimg hist - - <rgb.npy | cmp - expected.csv
cat big.npy | gpuimg equalize -q - - --format png >piped.png && gpuimg equalize -q gray.pgm equalized.png && cmp piped.png equalized.png
gpuimg info rgb.npy big.npy floats.npy
expect 3 gpuimg hist floats.npy - 2>&1
expect 3 gpuimg hist columns.npy - 2>&1
head -c 600 rgb.npy >short.npy
expect 3 gpuimg hist short.npy - 2>&1
expect 3 gpuimg hist --max-pixels 100 rgb.npy - 2>&1
mkdir in && cp rgb.npy big.npy in && gpuimg equalize -q in out/ && ls out
expect 2 gpuimg equalize rgb.npy out.npy 2>&1
if gpuimg version | grep -q 'libarchive [0-9]'; then
  tar -C in -cf in.tar big.npy rgb.npy && gpuimg equalize -q in.tar out.tar && mkdir from_tar && tar -C from_tar -xf out.tar
  cmp out/big.png from_tar/big.png && cmp out/rgb.png from_tar/rgb.png
fi
exit 0
