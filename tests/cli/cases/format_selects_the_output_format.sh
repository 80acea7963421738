# --format selects the output format for standard output, for a folder, and for a file with any name.
mkdir photos
make_image png in.png 9x7
cp in.png photos/a.png
for form in png jpg jpeg bmp tga; do
  gpuimg equalize in.png $form.$form && gpuimg equalize in.png - --format $form | cmp $form.$form - && echo "equalize $form"
done
for form in npy png csv; do
  gpuimg integral in.png i_$form.$form && gpuimg integral in.png - --format $form | cmp i_$form.$form - && echo "integral $form"
done
for form in csv json svg; do
  gpuimg hist in.png h_$form.$form && gpuimg hist in.png - --format $form | cmp h_$form.$form - && echo "hist $form"
done
for form in npy png; do
  gpuimg hsl in.png l_$form.$form && gpuimg hsl in.png - --format $form | cmp l_$form.$form - && echo "hsl $form"
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
