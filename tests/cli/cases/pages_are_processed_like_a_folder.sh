# --page all: a page that fails does not stop the other pages. A resumed run skips pages that are done.
gpuimg --version | grep -q 'libtiff [0-9]' || { echo "this gpuimg cannot read TIFF"; exit 77; }
mkdir in
make_image tif in/stack.tif 9x7 11 5
make_image tif in/single.tif 9x7
make_image png in/photo.png 9x7 gray 16
expect 1 gpuimg equalize --page all --manifest run.jsonl in/ out/ 2>&1 | sed 's/ in [0-9].*//; s/is not supported.*//'
ls out
grep -c '"page": ' run.jsonl
rm out/stack-03.tif  # a page is done if its output exists
expect 1 gpuimg equalize --page all --manifest run.jsonl --resume run.jsonl in/ out/ 2>&1 | sed 's/ in [0-9].*//; s/is not supported.*//'
gpuimg report run.jsonl | sed 's/is not supported.*//'
# Each page gives the same result if it is read alone or from a pipe.
for page in 1 2 11; do
  gpuimg equalize --page "$page" in/stack.tif - <in/stack.tif | gpuimg compare - "out/stack-$(printf '%02d' "$page").tif"
  gpuimg equalize --page "$page" - - <in/stack.tif | gpuimg compare - "out/stack-$(printf '%02d' "$page").tif"
done
# Output names from a template, a sum, a table.
gpuimg integral -q --page all in/single.tif in/photo.png --output 'sums/{stem}_{page}.npy' && ls sums
make_image tif three.tif 4x4 3
gpuimg integral -q --page all three.tif --output 'sums/{stem}_{page}.npy' && ls sums
gpuimg integral --page all three.tif --output 'sums/{stem}.npy'
gpuimg hist -q --page all --merge three.tif - | awk -F, '{n += $2} END {print n}'
gpuimg hist -q --page all --table three.tif - | cut -d, -f1-5
# Invalid combinations.
gpuimg equalize three.tif first.tif
gpuimg equalize --page 4 three.tif x.tif
gpuimg equalize --page 2 in/photo.png x.png
gpuimg equalize --page 0 three.tif x.tif
gpuimg equalize --page all three.tif x.png
echo three.tif | gpuimg equalize --page all --in-place --files-from -
gpuimg equalize --in-place three.tif
gpuimg compare --page all three.tif three.tif
gpuimg info --page 3 three.tif | sed -n '/pages/p'
test ! -e x.tif
