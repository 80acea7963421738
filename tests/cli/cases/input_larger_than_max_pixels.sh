make_image png in.png 10x10
expect 0 gpuimg equalize --max-pixels 100 in.png good.png
expect 3 gpuimg equalize --max-pixels 99 in.png out.png
[ -e out.png ] || exit 3
