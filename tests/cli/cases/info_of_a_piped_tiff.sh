# The directories of a TIFF can lie after the pixels; `info` finds them in a pipe, too.
gpuimg --version | grep -q 'libtiff [0-9]' || { echo "this gpuimg cannot read TIFF"; exit 77; }
python3 - <<'P'
import struct

pixels = bytes(300 * 300)
after = 8 + 2 + 10 * 12 + 4
exif = after + len(pixels)
entries = [(256, 4, 300), (257, 4, 300), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, after), (277, 3, 1), (278, 4, 300),
           (279, 4, len(pixels)), (34665, 4, exif)]
directory = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in entries)
file = b"II*\0" + struct.pack("<IH", 8, len(entries)) + directory + bytes(4) + pixels
file += struct.pack("<HHHII", 1, 34855, 3, 1, 400) + bytes(4)  # ISO speed
open("a.tif", "wb").write(file)
P
gpuimg info --json a.tif | grep -e exif -e pages
cat a.tif | gpuimg info --json - | grep exif
