make_image png in.png 3x3
expect 2 gpuimg denoise --backend opencl in.png out.png
[ "$(ls)" = in.png ] && exit 2
