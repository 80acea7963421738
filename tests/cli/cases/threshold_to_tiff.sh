# A black and white TIFF has one bit per pixel.
gpuimg --version | grep -q 'libtiff [0-9]' || { echo "this gpuimg cannot write TIFF"; exit 77; }
make_image png in.png 20x9 rgba 16
for out in t.png t.tif; do gpuimg threshold -q --method bradley in.png $out; done
gpuimg compare t.png t.tif
gpuimg info --json t.tif | grep -o '"\(width\|height\|color\|bit_depth\)": *[^,}]*'
