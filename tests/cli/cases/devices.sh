# --devices takes numbers or `all`. With --backend cuda, a missing device ends the run before any work; the CPU backend
# needs no device.
make_image png in.png 31x17
mkdir photos && cp in.png photos/a.png && cp in.png photos/b.png
for list in x 0, 0,,1 -1 0,x all,0 65537 1,0,1; do
  expect 2 gpuimg hist "--devices=$list" in.png
done
expect 2 gpuimg hist --devices= in.png
expect 5 gpuimg equalize -q --backend cuda --devices 0,60000 photos none/ 2>/dev/null
expect 5 gpuimg equalize -q --backend cuda --devices 0,60000 in.png none.png 2>/dev/null
ls
gpuimg equalize --backend cpu --devices 0,1 in.png cpu.png
gpuimg equalize -q --devices all in.png auto.png
gpuimg equalize -q --devices all in.png - >stdout.png
gpuimg equalize -q --devices all photos out/
for file in auto.png stdout.png out/a.png out/b.png; do
  cmp cpu.png $file && echo same
done
