# Two multi-page files are equal if they have the same number of pages and all pages are equal.
gpuimg --version | grep -q 'libtiff [0-9]' || { echo "this gpuimg cannot read TIFF"; exit 77; }
make_image tif a.tif 6x5 3
make_image tif two.tif 6x5 2
make_image tif one.tif 6x5
python3 - <<'P'
import struct

file = bytearray(open("a.tif", "rb").read())
place = 4
for page in range(3):
    place = struct.unpack_from("<I", file, place)[0]
    place += 2 + 12 * struct.unpack_from("<H", file, place)[0]
    if page == 1:
        pixels = struct.unpack_from("<I", file, place - 4 * 12 + 8)[0]
        file[pixels] ^= 3
open("b.tif", "wb").write(file)
open("cut.tif", "wb").write(file[:-20])
P
compare() { gpuimg compare "$@"; echo "exit $?"; }
compare a.tif a.tif
compare a.tif b.tif
compare --page all a.tif b.tif
compare -q a.tif b.tif
compare -v a.tif b.tif 2>/dev/null
compare --page 1 a.tif b.tif
compare --page 2 a.tif b.tif
compare --page 4 a.tif b.tif
compare --tolerance 3 a.tif b.tif
compare a.tif two.tif
compare b.tif two.tif
compare one.tif a.tif
compare a.tif cut.tif
compare --page 2 b.tif cut.tif
compare - b.tif <a.tif
cat a.tif | compare b.tif -
compare --json a.tif b.tif
compare --json one.tif a.tif
echo "--- folders"
mkdir x y
cp a.tif x/same.tif && cp a.tif y/same.tif
cp a.tif x/other.tif && cp b.tif y/other.tif
cp a.tif x/longer.tif && cp two.tif y/longer.tif
cp two.tif x/shorter.tif && cp a.tif y/shorter.tif
cp one.tif x/one.tif && cp one.tif y/one.tif
folders() { gpuimg compare "$@" x y 2>&1 | sed 's/ in [0-9.]* \(s\|ms\)[,;].*//; s/ in [0-9.]* m\?s.*//'; echo "exit ${PIPESTATUS[0]}"; }
folders
folders --page 1
folders --json
cp a.tif x/cut.tif && cp cut.tif y/cut.tif
cp cut.tif x/tuc.tif && cp a.tif y/tuc.tif
cp two.tif x/end.tif && cp cut.tif y/end.tif
folders
