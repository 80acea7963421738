# /dev/stdout, under each of its names, means "-": allowed for pipes, files and devices, rejected for a terminal.
make_image png in.png 200x100
gpuimg equalize in.png out.png
gpuimg integral in.png out.npy
gpuimg hist in.png out.csv
for name in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
  gpuimg equalize in.png $name | cmp - out.png
  gpuimg integral in.png $name | cmp - out.npy
  gpuimg hist in.png $name | cmp - out.csv
  gpuimg equalize in.png $name >written.png
  cmp written.png out.png
  gpuimg equalize in.png $name >/dev/null
  expect 4 gpuimg equalize in.png $name >/dev/full
  gpuimg equalize in.png $name | true
done
on_terminal 80 gpuimg equalize in.png /dev/stdout
gpuimg equalize in.png >(cmp - out.png >&2)
ln -s /dev/stdout link.jpg
gpuimg equalize in.png link.jpg | head -c 2 | od -An -tx1
mkdir in
cp in.png in/a.png
expect 2 gpuimg equalize in /dev/stdout
