# A table written by --lut gives the same bytes when it is applied, in every color mode, depth and number of channels.
for format in "gray 8" "graya 8" "rgb 8" "rgba 8" "gray 16" "graya 16" "rgb 16" "rgba 16"; do
  # shellcheck disable=SC2086
  make_image png in.png 61x37 $format
  for color in luma rgb joint ycbcr hsl; do
    gpuimg equalize -q -f --color $color --strength 0.6 --lut t.csv in.png made.png
    gpuimg equalize -q -f --color $color --strength 0.6 --apply t.csv in.png applied.png
    cmp made.png applied.png || echo "$format $color"
  done
done

echo "without --color: luma or rgb, as in the table"
make_image png in.png 61x37 rgb 8
for color in luma rgb; do
  gpuimg equalize -q -f --luma bt709 --color $color --lut $color.csv in.png made.png
  gpuimg equalize -f --luma bt709 --apply $color.csv in.png applied.png
  cmp made.png applied.png
done

echo "to other images, in a folder"
mkdir in && make_image png in/a.png 20x20 rgb 8 2 && make_image png in/b.png 20x20 rgb 8 3
gpuimg equalize -q --color rgb --apply rgb.csv in out/
gpuimg equalize -q --color rgb --apply rgb.csv in/b.png b.png && cmp b.png out/b.png

echo "from standard input"
gpuimg equalize -q --apply - in/b.png e.png <rgb.csv && cmp e.png b.png
expect 2 gpuimg equalize -q --apply - --manifest run.jsonl in out2/ <rgb.csv

echo "again, after the table has changed"
gpuimg equalize -q -f --apply rgb.csv --manifest run.jsonl in out/
cp rgb.csv saved.csv && cp luma.csv rgb.csv
gpuimg equalize -q --apply rgb.csv --manifest run.jsonl --resume run.jsonl in out/
gpuimg equalize -q --apply luma.csv in/b.png f.png && cmp f.png out/b.png
mv saved.csv rgb.csv

echo "as saved by a spreadsheet: CRLF, a byte order mark, no final line break"
{ printf '\xef\xbb\xbf'; sed 's/$/\r/' rgb.csv | head -c -2; } >edited.csv
gpuimg equalize -q --apply edited.csv in/b.png c.png && cmp c.png b.png

echo "a mask protects pixels"
make_image flat black.png 20x20 0
gpuimg equalize -q --apply rgb.csv --mask black.png in/b.png d.png
gpuimg equalize -q --strength 0 in/b.png same.png && cmp d.png same.png
exit 0
