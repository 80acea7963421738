# Images in bands of rows: the files are those of the whole image (of standard input, all is held), in less memory than
# it takes, and damage in the middle leaves nothing.
make_image png in.png 6000x5000 gray
gpuimg integral --backend cpu --type f64 - whole.npy <in.png
(
  [ "$GPUIMG_SANITIZED" = 1 ] || ulimit -v 400000
  expect 0 gpuimg integral --backend cpu --threads 1 --type f64 in.png bands.npy
)
cmp whole.npy bands.npy
for name in 1000x701/rgb/8/png 1000x701/rgba/16/png 640x433/rgb/8/jpg 640x433/rgb/8/bmp 640x433/gray/16/pgm; do
  IFS=/ read -r size kind bits ending <<<"$name"
  make_image png from.png "$size" "$kind" "$bits"
  gpuimg equalize --strength 0 --force -q from.png "in.$ending"
  for threads in 1 2; do
    options="--backend cpu --threads $threads"
    gpuimg hist $options --channel rgb "in.$ending" | cmp - <(gpuimg hist $options --channel rgb - <"in.$ending")
    gpuimg hist $options --roi 10,20,300,400 "in.$ending" |
      cmp - <(gpuimg hist $options --roi 10,20,300,400 - <"in.$ending")
    for operation in integral hsl 'integral --layout inclusive --square' 'hsl --encode u16'; do
      gpuimg $operation $options "in.$ending" bands.npy --force -q
      gpuimg $operation $options - whole.npy --force -q <"in.$ending"
      cmp whole.npy bands.npy || echo "$operation $ending, $threads threads"
    done
  done
done
rm -f *.npy
cp in.png bad.png
printf 'X' | dd of=bad.png bs=1 seek=$(($(stat -c %s bad.png) / 2)) conv=notrunc status=none
head -c $(($(stat -c %s in.jpg) / 2)) in.jpg >bad.jpg
head -c 100000 in.bmp >bad.bmp
for bad in bad.png bad.jpg bad.bmp; do
  expect 3 gpuimg hsl $bad out.npy
  expect 3 gpuimg integral --threads 1 $bad out.npy
  expect 3 gpuimg hist $bad out.csv
done
find . -name '*out*'
