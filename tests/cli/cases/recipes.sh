# Runs every command of docs/recipes.md in one folder, in order.
gpuimg --version | grep -q 'libtiff [0-9]' || { echo "this gpuimg cannot read TIFF"; exit 77; }
mkdir scans photos planes arrays set
make_image png scan.png 60x50 rgb
make_image png night.png 64x48 rgb
gpuimg equalize -q --strength 0 night.png night.jpg
cp scan.png scans/a.png
cp scan.png scans/b.png
cp scan.png photos/a.png
cp night.jpg photos/b.jpg
make_image tif stack.tif 20x15 3
count=0
while read -r line; do
  count=$((count + 1))
  eval "$line -q" >out.txt 2>err.txt || { echo "$line"; cat err.txt; }
done < <(sed -n '/^```sh$/,/^```$/p' "$GPUIMG_SUPPORT/../../../docs/recipes.md" | grep '^gpuimg')
[ "$count" -ge 13 ] || echo "only $count commands"
gpuimg info pages/a.tif >/dev/null || echo "no page"
[ "$(wc -l <stats.csv)" = 3 ] || cat stats.csv
grep -q '^mean = ' normalization.txt || cat normalization.txt
[ "$(wc -l <contents.csv)" = 4 ] || cat contents.csv
[ "$(wc -l <pairs.csv)" = 3 ] || cat pairs.csv
[ "$(wc -l <hashes.jsonl)" = 2 ] || cat hashes.jsonl
ls -1 arrays/* planes/*
# A fax that arrives later: only the new page is written, and the earlier pages stay unchanged.
later=$(grep '^gpuimg.*--resume faxes.jsonl' "$GPUIMG_SUPPORT/../../../docs/recipes.md")
cp scan.png scans/c.png
stat -c '%n %i %y' faxes/a.tif faxes/b.tif >before.txt
eval "$later -q" >out.txt 2>err.txt || cat err.txt
stat -c '%n %i %y' faxes/a.tif faxes/b.tif | cmp - before.txt
tail -n 1 faxes.jsonl | grep -o 'scans/c.png'
gpuimg compare faxes/a.tif faxes/c.tif
# A broken scan among them fails alone, and is processed again after it is repaired.
head -c 100 scan.png >scans/d.png
eval "$later -q" >out.txt 2>err.txt; echo "exit code $?"
cp scan.png scans/d.png
eval "$later -q" >out.txt 2>err.txt; echo "exit code $?"
gpuimg compare faxes/a.tif faxes/d.tif
