# Invalid sizes, boxes and names, and values that do not fit the image; nothing is written.
make_image png in.png 20x10 rgb 8
expect 2 gpuimg resize in.png x.png
for size in 0x5 5 x 5x-1 5xx5 -3% 0% nan% 999999999x; do expect 2 gpuimg resize --size=$size in.png x.png; done
expect 2 gpuimg resize --size 5x --fit cover in.png x.png
expect 2 gpuimg resize --size 5x5 --fit fill in.png x.png
expect 2 gpuimg resize --size 5x5 --filter cubic in.png x.png
expect 2 gpuimg resize --size 5x5 --pad-color red in.png x.png
expect 2 gpuimg resize --size 5x5 --box 1,2,3 in.png x.png
expect 2 gpuimg resize --size 5x5 --box 1,2,20,3 in.png x.png
expect 2 gpuimg resize --size 5x5 --box 1,2,0,3 in.png x.png
expect 3 gpuimg resize --size 100x100 --fit stretch --max-pixels 9999 in.png x.png
expect 2 gpuimg crop in.png x.png
expect 2 gpuimg crop --box 0,0,1,1 --size 1x1 in.png x.png
expect 2 gpuimg crop --box 0,0,1,1 --gravity north in.png x.png
expect 2 gpuimg crop --box 15,0,6,1 in.png x.png
expect 2 gpuimg crop --size 11x11 in.png x.png
expect 2 gpuimg rotate in.png x.png
expect 2 gpuimg rotate 45 in.png x.png
expect 2 gpuimg flip up in.png x.png
mkdir photos && cp in.png photos/small.png && make_image png photos/large.png 40x40 rgb 8
expect 1 gpuimg crop -q --size 15x15 photos/ out/
ls . out
