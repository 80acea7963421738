command -v pngcheck >/dev/null || { echo 'pngcheck is not installed'; exit 77; }
for kind in gray graya rgb rgba; do
  for depth in 8 16; do
    make_image png in.png 67x41 $kind $depth
    for level in 0 1 2 3; do
      gpuimg equalize --force --png-level $level in.png $kind$depth.$level.png
      pngcheck -q $kind$depth.$level.png
    done
    pngcheck $kind$depth.1.png | sed 's/, [-0-9.]*%.*//'
  done
done
make_image png in.png 1x1 gray
gpuimg equalize --force in.png out.png && pngcheck -q out.png
gpuimg hsl in.png hsl.png && pngcheck -qt hsl.png
gpuimg integral in.png table.png && pngcheck -q table.png
