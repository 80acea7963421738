# Images are processed in bands of rows, even from a pipe. The results equal those of the whole image, as a folder run
# computes them, in less memory than the whole image takes. Damage in the middle of an image leaves no output.
make_image png in.png 6000x5000 gray
mkdir whole
gpuimg integral -q --backend cpu --type f64 in.png whole/
(
  [ "$GPUIMG_SANITIZED" = 1 ] || ulimit -v 400000
  expect 0 gpuimg integral --backend cpu --threads 1 --type f64 in.png bands.npy
  expect 0 gpuimg integral --backend cpu --threads 1 --type f64 - piped.npy <in.png
)
cmp whole/in.npy bands.npy
cmp whole/in.npy piped.npy
for name in 1000x701/rgb/8/png 1000x701/rgba/16/png 640x433/rgb/8/jpg 640x433/rgb/8/bmp 640x433/gray/16/pgm; do
  IFS=/ read -r size kind bits extension <<<"$name"
  make_image png from.png "$size" "$kind" "$bits"
  gpuimg equalize --strength 0 --force -q from.png "in.$extension"
  for counts in 'csv hist --channel rgb' 'csv hist --roi 10,20,300,400' 'npy integral' 'npy hsl' \
    'npy integral --layout inclusive --square' 'npy hsl --encode u16'; do
    read -r out operation <<<"$counts --backend cpu --force -q"
    gpuimg $operation "in.$extension" -o "whole/{stem}.$out"
    for threads in 1 2; do
      gpuimg $operation --threads $threads "in.$extension" "bands.$out"
      cmp "whole/in.$out" "bands.$out" || echo "$operation $extension, $threads threads"
    done
    gpuimg $operation - "piped.$out" <"in.$extension"
    cmp "whole/in.$out" "piped.$out" || echo "$operation $extension from a pipe"
  done
done
rm -rf *.npy *.csv whole
cp in.png bad.png
printf 'X' | dd of=bad.png bs=1 seek=$(($(stat -c %s bad.png) / 2)) conv=notrunc status=none
head -c $(($(stat -c %s in.jpg) / 2)) in.jpg >bad.jpg
head -c 100000 in.bmp >bad.bmp
for bad in bad.png bad.jpg bad.bmp; do
  expect 3 gpuimg hsl $bad out.npy
  expect 3 gpuimg integral --threads 1 $bad out.npy
  expect 3 gpuimg hist $bad out.csv
  expect 3 gpuimg hsl - out.npy <$bad
done
find . -name '*out*'
