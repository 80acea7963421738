# A second run over images replaced in place would process them twice, so it is rejected. A manifest overwrites only
# another manifest.
mkdir in out
make_image png in/a.png 9x9
make_image png in/b.png 9x9
cksum in/* >before
expect 2 gpuimg hsl --saturation 1.2 --in-place in in --manifest m --resume m
expect 4 gpuimg equalize --force --manifest in/a.png in/a.png in/b.png out/
printf 'my notes\n' >notes
expect 4 gpuimg equalize --force --manifest notes in/a.png in/b.png out/
mkfifo pipe
expect 4 gpuimg equalize --force --manifest pipe in/a.png in/b.png out/
expect 2 gpuimg equalize --force --manifest= in/a.png in/b.png out/
cksum in/* | cmp - before && cat notes
ls out
gpuimg equalize --quiet --manifest m in/a.png in/b.png out/
gpuimg equalize --quiet --force --manifest m in/a.png in/b.png out/ && grep -vc '"begun"' m
