# --clahe, --match and --formula stretch: a folder run gives the same bytes as single files, and every mode follows its
# options.
mkdir in
make_image png in/rgb.png 40x30 rgb 8 1
make_image png in/gray.png 33x21 gray 8 2
make_image png in/rgba.png 30x20 rgba 8 3
make_image png ref.png 25x35 rgb 8 9
gpuimg hist -q --channel luma ref.png ref.json

for mode in "--clahe" "--clahe --tiles 3x5 --clip 0 --color ycbcr" "--match ref.png" "--match ref.json" "--formula stretch" \
  "--formula stretch --percent 2.5,97 --color hsl"; do
  rm -rf out
  # shellcheck disable=SC2086
  gpuimg equalize -q $mode --jobs 2 in out
  for name in rgb gray rgba; do
    # shellcheck disable=SC2086
    gpuimg equalize -q $mode in/$name.png - | cmp - out/$name.png || echo "$mode $name"
    cmp -s in/$name.png out/$name.png && echo "$mode leaves $name as it was"
  done
done

echo "an image and its histogram give the same result"
gpuimg equalize -q --match ref.png in/rgb.png a.png
gpuimg equalize -q --match ref.json in/rgb.png b.png && cmp a.png b.png
gpuimg hist -q --channel rgb ref.png three.json
gpuimg equalize -q --color rgb --match ref.png in/rgb.png c.png
gpuimg equalize -q --color rgb --match three.json in/rgb.png d.png && cmp c.png d.png
expect 2 gpuimg equalize -q --match three.json in/rgb.png e.png

echo "a region selects pixels to count, a mask protects pixels, strength 0 changes nothing"
make_image flat black.png 40x30 0
for mode in "--clahe" "--match ref.png" "--formula stretch"; do
  # shellcheck disable=SC2086
  {
    gpuimg equalize -q $mode in/rgb.png whole.png
    gpuimg equalize -q -f $mode --roi 5,5,9,9 in/rgb.png part.png
    cmp -s whole.png part.png && echo "$mode counts outside of the part"
    gpuimg equalize -q -f $mode --mask black.png in/rgb.png masked.png
    gpuimg equalize -q -f $mode --strength 0 in/rgb.png none.png && cmp none.png masked.png
    rm whole.png
  }
done
exit 0
