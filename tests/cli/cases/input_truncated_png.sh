make_image png in.png 31x17
for bytes in 8 20 33 100 500; do
  make_image cut in.png cut.png $bytes
  expect 3 gpuimg equalize cut.png out.png
done
[ -e out.png ] || exit 3
