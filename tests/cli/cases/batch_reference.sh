# One table for all images: a level is mapped to the same new level in every image.
mkdir in
for level in 40 90 200; do make_image flat in/$level.png 8x8 $level; done
gpuimg hist -q --merge in all.json
gpuimg equalize -q --reference all.json in out/
for level in 40 90 200; do gpuimg hist --format csv out/$level.png | grep ',64$'; done
gpuimg equalize --reference all.json in/90.png one.png && cmp one.png out/90.png
expect 2 gpuimg equalize --reference all.json --color ycbcr in/90.png x.png
expect 2 gpuimg equalize --reference all.json --luma bt709 in/90.png x.png
expect 3 gpuimg equalize --reference in/90.png in/90.png x.png
