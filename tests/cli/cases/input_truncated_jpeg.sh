make_image png in.png 31x17
gpuimg equalize in.png in.jpg
for bytes in 2 20 200 600; do
  make_image cut in.jpg cut.jpg $bytes
  expect 3 gpuimg equalize cut.jpg out.png
done
make_image cut in.jpg cut.jpg $(($(stat -c %s in.jpg) - 1))
expect 3 gpuimg equalize cut.jpg out.png
[ -e out.png ] || exit 3
