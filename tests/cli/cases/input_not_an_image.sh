: >empty.png
echo 'hello, this is a text' >text.png
head -c 4096 /dev/zero >zeros.png
printf '#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\1\1\1\1' >light.hdr
printf '%%PDF-1.7\n' >scan.png
printf 'qoif\0\0\0\1\0\0\0\1\3\0' >photo.qoi
for name in empty.png text.png zeros.png light.hdr scan.png photo.qoi; do
  expect 3 gpuimg equalize $name out.png
done
[ -e out.png ] || exit 3
