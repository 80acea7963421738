# --compression of TIFF: the pixels stay the same. If the compression cannot hold the image, it is rejected before OUT
# is written.
gpuimg --version | grep -q 'libtiff [0-9]' || { echo "this gpuimg cannot write TIFF"; exit 77; }
make_image png color.png 131x77 rgb
make_image png alpha.png 31x17 rgba 16
gpuimg threshold -q color.png mask.png
for name in none packbits lzw deflate; do
  gpuimg convert color.png $name.tif --compression $name && gpuimg compare color.png $name.tif
  gpuimg convert alpha.png $name-alpha.tif --compression $name && gpuimg compare alpha.png $name-alpha.tif
  gpuimg threshold -q color.png $name-mask.tif --compression $name && gpuimg compare mask.png $name-mask.tif
done
for name in none packbits lzw; do cmp -s $name.tif deflate.tif && echo "$name is deflate"; done
gpuimg integral -q mask.png table.tif && gpuimg integral mask.png other-table.tif --compression lzw && cmp table.tif other-table.tif
echo "- deflate is the default"
gpuimg convert color.png default.tif && cmp default.tif deflate.tif
echo "- Group 4"
gpuimg threshold -q color.png g4.tif --compression g4 && gpuimg compare mask.png g4.tif
gpuimg convert mask.png g4-convert.tif --compression g4 && cmp g4.tif g4-convert.tif
gpuimg convert g4.tif - --format png | gpuimg compare - mask.png
expect 2 gpuimg convert color.png bad.tif --compression g4
expect 2 gpuimg convert alpha.png bad.tif --compression g4
echo "- JPEG"
gpuimg convert color.png jpeg.tif --compression jpeg --quality 95 --subsampling 444
gpuimg compare -q --tolerance 40 color.png jpeg.tif && [ $(stat -c %s jpeg.tif) -lt $(stat -c %s none.tif) ] && echo small
expect 2 gpuimg convert alpha.png bad.tif --compression jpeg --depth 8
expect 2 gpuimg convert alpha.png bad.tif --compression jpeg --background white
echo "- other mistakes"
expect 2 gpuimg convert color.png bad.tif --compression zip
expect 2 gpuimg convert color.png bad.tif --compression 9
gpuimg convert color.png other.png --compression lzw
gpuimg convert color.png other.tif --quality 50
ls bad* 2>/dev/null || echo "no bad output"
