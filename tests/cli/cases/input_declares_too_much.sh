make_image bomb bomb.png 100000x100000
make_image bomb wide.png 2147483647x2147483647
make_image bomb large.png 30000x30000
make_image bomb none.png 0x5
printf 'P6\n100000 100000\n255\nabc' >bomb.ppm
printf 'P5\n30000 30000\n255\nabc' >large.ppm
for name in bomb.png wide.png large.png none.png bomb.ppm large.ppm; do
  expect 3 gpuimg equalize $name out.png
done
[ -e out.png ] || exit 3
