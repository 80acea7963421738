expect 3 gpuimg hist nothing.png
expect 3 gpuimg equalize nothing.png out.png
expect 3 gpuimg equalize '' out.png
make_image png in.png 3x3
expect 3 gpuimg equalize --mask nothing.png in.png out.png
[ "$(ls)" = in.png ] && exit 3
