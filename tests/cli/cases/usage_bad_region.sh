make_image png in.png 6x4
expect 2 gpuimg hist --roi 1,2,3 in.png
expect 2 gpuimg hist --roi 1,2,3,4,5 in.png
expect 2 gpuimg hist --roi -1,0,2,2 in.png
expect 2 gpuimg hist --roi 0,0,0,2 in.png
expect 2 gpuimg hist --roi all in.png
expect 2 gpuimg hist --roi 99999999999,0,1,1 in.png
expect 2 gpuimg hist --roi 5,0,2,2 in.png
expect 2 gpuimg equalize --roi 0,3,2,2 in.png out.png
expect 2 gpuimg equalize --roi 2147483647,0,2147483647,1 in.png out.png
[ "$(ls)" = in.png ] && exit 2
