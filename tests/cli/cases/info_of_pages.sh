# The line of a file gives its number of pages. The tags of a TIFF are not EXIF data; EXIF directories are.
gpuimg --version | grep -q 'libtiff [0-9]' || { echo "this gpuimg cannot read TIFF"; exit 77; }
make_image tif one.tif 9x7
make_image tif three.tif 9x7 3
make_image png in.png 7x5
make_image chunk in.png turned.png eXIf 4d4d002a00000008000101120003000000010006000000000000
gpuimg equalize -q --no-auto-orient turned.png turned.tif
python3 - <<'P'
import struct

exif = 8 + 2 + 11 * 12 + 4
entries = [(256, 4, 2), (257, 4, 1), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8), (277, 3, 1), (278, 4, 1),
           (279, 4, 2), (305, 2, 0x00676966), (34665, 4, exif)]
directory = b"".join(struct.pack("<HHII", tag, kind, 4 if tag == 305 else 1, value) for tag, kind, value in entries)
file = b"II*\0" + struct.pack("<IH", 8, len(entries)) + directory + bytes(4)
open("exif.tif", "wb").write(file + struct.pack("<HHHII", 1, 34855, 3, 1, 400) + bytes(4))
P
gpuimg info one.tif three.tif turned.png turned.tif exif.tif
gpuimg info --json turned.tif | grep -e '"orientation"' -e exif
gpuimg info turned.tif | grep -e EXIF -e orientation
gpuimg info exif.tif | grep -c EXIF
