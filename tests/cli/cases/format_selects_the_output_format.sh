# --format selects the output format for standard output, for a folder, and for a file with any name.
mkdir photos
make_image png in.png 9x7
cp in.png photos/a.png
for format in png jpg jpeg bmp tga; do
  gpuimg equalize in.png $format.$format && gpuimg equalize in.png - --format $format | cmp $format.$format - && echo "equalize $format"
done
for format in npy png csv; do
  gpuimg integral in.png i_$format.$format && gpuimg integral in.png - --format $format | cmp i_$format.$format - && echo "integral $format"
done
for format in csv json svg; do
  gpuimg hist in.png h_$format.$format && gpuimg hist in.png - --format $format | cmp h_$format.$format - && echo "hist $format"
done
for format in npy png; do
  gpuimg hsl in.png l_$format.$format && gpuimg hsl in.png - --format $format | cmp l_$format.$format - && echo "hsl $format"
done
gpuimg hsl --hue 5 in.png hue.jpg && gpuimg hsl --hue 5 in.png --format jpg - | cmp hue.jpg -
gpuimg equalize in.png plain --format tga && cmp plain tga.tga
gpuimg equalize in.png misleading.png --format jpg && cmp misleading.png jpg.jpg
gpuimg hist in.png misleading.csv --format json && cmp misleading.csv h_json.json
gpuimg equalize -q photos out/ --format jpg && gpuimg equalize -q photos out/ --output-format bmp && ls out
gpuimg hist -q photos charts/ --chart && gpuimg hist -q photos charts/ --format chart --force && ls charts
# An option for batches does not turn a run on one image into a batch.
gpuimg equalize in.png - --output-format png --jobs 2 --fail-fast | cmp png.png -
expect 2 gpuimg equalize in.png - --format jgp
expect 2 gpuimg equalize in.png - --format heic
expect 2 gpuimg integral in.png - --format jpg
expect 2 gpuimg hist in.png - --format xml
expect 2 gpuimg hist in.png --format PNG
expect 2 gpuimg hsl --hue 5 in.png - --format npy
expect 2 gpuimg hist in.png --chart --format csv
expect 2 gpuimg equalize in.png - --manifest run.jsonl
