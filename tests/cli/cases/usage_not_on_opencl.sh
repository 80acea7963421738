make_image png in.png 3x3
expect 2 gpuimg equalize --clahe --backend opencl in.png out.png
[ "$(ls)" = in.png ] && exit 2
