# A pipe is rejected by its first kilobyte, while its writer still writes.
head -c 4000 /dev/zero >zeros
{ printf 'qoif'; head -c 4000 /dev/zero; } >long.qoi
yes text | head -c 4000 >text
for name in zeros long.qoi text; do
  mkfifo pipe
  { head -c 2000 "$name"; exec sleep 20; } >pipe &
  writer=$!
  SECONDS=0
  expect 3 gpuimg hist - <pipe
  [ "$SECONDS" -lt 10 ] || echo "$name took $SECONDS s"
  kill $writer
  wait $writer 2>/dev/null
  rm pipe
done
# Input that can still turn out to be an image is read to its end: a TGA is recognized by its last bytes.
make_image png in.png 40x40
gpuimg equalize --strength 0 in.png out.tga
printf '\0\0\0\0\0\0\0\0TRUEVISION-XFILE.\0' >>out.tga
gpuimg compare in.png - <out.tga
cat out.tga | gpuimg compare in.png -
# A short input is also read to its end.
printf 'qoif' | expect 3 gpuimg hist -
