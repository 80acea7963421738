# Pages after damage are lost: the readable pages are written, an error reports the lost pages, and so does `info`.
gpuimg --version | grep -q 'libtiff [0-9]' || { echo "this gpuimg cannot read TIFF"; exit 77; }
make_image tif whole.tif 6x5 4
python3 - <<'P'
import struct

whole = open("whole.tif", "rb").read()
places, link = [], 4  # offsets of the directories, and offset of the link to the next one
while place := struct.unpack_from("<I", whole, link)[0]:
    places.append(place)
    link = place + 2 + 12 * struct.unpack_from("<H", whole, place)[0]


def with_link(place):
    return whole[:link] + struct.pack("<I", place) + whole[link + 4:]


cases = {
    "within": whole[:places[2] + 30],        # page 3's directory
    "before": whole[:places[2] - 10],        # page 3's pixels; its directory lies beyond the end of the file
    "beyond": with_link(len(whole) + 1000),  # beyond page 4
    "loop": with_link(places[1]),
    "pixels": with_link(places[0] - 60),     # in page 1's pixels
    "first": whole[:places[1] - 60],         # only page 1 is left
    "none": whole[:places[0] + 5],           # not even page 1
}
for name, data in cases.items():
    open(name + ".tif", "wb").write(data)
P
mkdir out
equalize() { gpuimg equalize --strength 0 "$@" 2>&1 | sed 's/ in [0-9].*//'; return "${PIPESTATUS[0]}"; }
for name in within before beyond loop pixels first none; do
  echo "--- $name"
  equalize --page all $name.tif out/
  echo "exit $?, written: $(cd out && echo $name*)"
  gpuimg info $name.tif 2>&1 | grep -e '^pages' -e '^damaged' -e error
  echo "exit ${PIPESTATUS[0]}"
done
for page in 1 2 3 4; do
  gpuimg equalize -q --strength 0 --page $page whole.tif - | gpuimg compare - out/beyond-$page.tif
done
echo "--- other ways"
gpuimg info --json within.tif 2>/dev/null | grep -e pages -e damage
gpuimg info within.tif whole.tif 2>/dev/null
gpuimg info - <within.tif 2>&1 | grep -e pages -e damage
cat within.tif | gpuimg info - 2>&1 | grep -e pages -e damage
expect 3 gpuimg equalize --page 3 within.tif x.tif 2>&1
expect 3 gpuimg equalize --page 9 within.tif x.tif 2>&1
expect 3 gpuimg equalize --page 3 - - <within.tif 2>&1
gpuimg equalize --strength 0 within.tif page1.tif 2>&1
gpuimg compare page1.tif out/within-1.tif
gpuimg equalize --in-place first.tif 2>&1
echo "--- every operation"
expect 1 gpuimg hist -q --page all --merge within.tif sum.csv 2>&1
awk -F, '{n += $2} END {print n}' sum.csv
expect 1 gpuimg hist -q --page all --table within.tif - 2>&1 | cut -d, -f1-3
for operation in threshold denoise hsl 'integral --mean 3'; do
  expect 1 gpuimg $operation -q --page all within.tif "${operation%% *}/" 2>&1
  ls "${operation%% *}/"
done
gpuimg threshold --page all --dry-run within.tif whole.tif planned/
echo "--- manifest"
mkdir in
cp within.tif in/stack.tif
equalize --page all --manifest run.jsonl in/ resumed/
grep -c '"page": 3, "and_later": true.*"status": "failed"' run.jsonl
gpuimg report run.jsonl
equalize --page all --manifest run.jsonl --resume run.jsonl in/ resumed/
cp run.jsonl retry.jsonl && cp -r resumed retried
cp whole.tif in/stack.tif
equalize --page all --manifest run.jsonl --resume run.jsonl in/ resumed/
equalize --page all --manifest retry.jsonl --retry-failed retry.jsonl in/ retried/
ls resumed retried
