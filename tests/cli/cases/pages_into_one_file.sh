# --page all with a TIFF as OUT writes one file with all pages, or no file.
gpuimg --version | grep -q 'libtiff [0-9]' || { echo "this gpuimg cannot read TIFF"; exit 77; }
make_image tif stack.tif 60x41 12
# Each page equals the result of processing that page alone.
run() { gpuimg ${steps%%|*} "$@" ${steps#*|}; }
for steps in 'convert|' 'equalize|' 'threshold --compression g4|' 'resize --size 30x|--then denoise' 'integral --mean 5|'; do
  run --page all stack.tif joined.tif && run -q --page all stack.tif alone/ --format tif || exit
  for page in 1 2 9 12; do
    gpuimg convert -q --page $page joined.tif page.tif
    gpuimg compare -q page.tif "alone/stack-$(printf '%02d' $page).tif" || echo "$steps: page $page differs"
    rm page.tif
  done
  gpuimg info joined.tif | grep '^pages'
  for jobs in 1 5; do
    run -q --page all -j $jobs stack.tif again.tif && cmp joined.tif again.tif
    rm again.tif
  done
  rm -r joined.tif alone
done
# An input with one page, or in another format, is written as without --page.
make_image tif single.tif 9x7
make_image png photo.png 9x7
for file in single.tif photo.png; do
  gpuimg equalize --page all $file a.tif && gpuimg equalize $file b.tif && cmp a.tif b.tif
  rm a.tif b.tif
done
# The density and descriptions of each page are kept. Notes of all pages are counted.
python3 - <<'P'
import struct

file = bytearray(b"II*\0\0\0\0\0")
link = 4
for page in range(5):
    text = b"page %d\0" % page
    place = len(file)
    file += bytes([40 * page]) * 4 + text + struct.pack("<4I", 100 + page, 1, 100 + page, 1)
    file[link:link + 4] = struct.pack("<I", len(file))
    entries = [(256, 3, 1, 2), (257, 3, 1, 2), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (270, 2, len(text), place + 4),
               (273, 4, 1, place), (277, 3, 1, 1), (278, 3, 1, 2), (279, 4, 1, 4),
               (282, 5, 1, place + 4 + len(text)), (283, 5, 1, place + 12 + len(text))]
    file += struct.pack("<H", len(entries))
    for tag, kind, count, value in entries:
        file += struct.pack("<HHII", tag, kind, count, value)
    link = len(file)
    file += bytes(4)
open("told.tif", "wb").write(file)
P
gpuimg denoise --page all told.tif denoised.tif
for page in 1 5; do
  gpuimg info --page $page denoised.tif | grep -e 'density' -e 'resolution'
done
python3 - <<'P'
file = open("denoised.tif", "rb").read()
print([b"page %d" % page in file for page in range(6)])
P
gpuimg threshold --page all told.tif bits.tif --compression g4 -v 2>&1 | grep 'the threshold'
# If a page fails, no file is written, and an existing file is kept.
make_image tif bad.tif 9x7 8 5
expect 3 gpuimg equalize --page all bad.tif out.tif 2>&1 | sed 's/is not supported.*//'
test ! -e out.tif
cp stack.tif out.tif
expect 3 gpuimg equalize -j 3 --force --page all bad.tif out.tif 2>&1 | sed 's/is not supported.*//'
cmp stack.tif out.tif
head -c $(($(wc -c <stack.tif) - 30)) stack.tif >cut.tif
expect 3 gpuimg equalize --page all cut.tif cut_out.tif 2>&1
test ! -e cut_out.tif
expect 2 gpuimg convert --page all --compression g4 stack.tif g4.tif 2>&1
# The manifest has one line for the file, and a second run resumes from it.
gpuimg equalize -q --page all stack.tif listed.tif --manifest run.jsonl
grep -c '"status": "done"' run.jsonl
gpuimg equalize --page all stack.tif listed.tif --resume run.jsonl 2>&1 | sed 's/ in [0-9].*//'
gpuimg equalize --page 1 stack.tif listed.tif --resume run.jsonl 2>&1 | sed 's/ in [0-9].*//'
gpuimg equalize --page all --dry-run stack.tif planned.tif
expect 3 gpuimg equalize -q --page all bad.tif out2.tif --manifest bad.jsonl 2>/dev/null
gpuimg report bad.jsonl | sed 's/is not supported.*//'
# In place, and with little memory.
cp stack.tif own.tif
gpuimg equalize --page all --in-place own.tif && gpuimg info own.tif | grep '^pages'
expect 6 gpuimg equalize --page all --threads 1 --max-memory 1M stack.tif small.tif 2>&1 | sed 's/ about.*//'
gpuimg equalize -q --page all --threads 4 --max-memory 64M stack.tif small.tif && gpuimg info small.tif | grep '^pages'
# Inputs and outputs that cannot be combined into one file.
gpuimg equalize --page all stack.tif single.tif two.tif
gpuimg hist --page all stack.tif hist.tif
gpuimg equalize --page all --lut t.csv stack.tif lut.tif
gpuimg equalize --page all - piped.tif <stack.tif
test ! -e piped.tif
