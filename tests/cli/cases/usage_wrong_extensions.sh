make_image png in.png 3x3
expect 2 gpuimg hist in.png out.txt
expect 2 gpuimg hist in.png out
expect 2 gpuimg equalize in.png out.gif
expect 2 gpuimg equalize in.png out
expect 2 gpuimg integral in.png out.jpg
expect 2 gpuimg hsl in.png out.jpg
expect 2 gpuimg hsl --encode float in.png out.png
expect 2 gpuimg hsl --inverse in.png out.npy
[ "$(ls)" = in.png ] && exit 2
