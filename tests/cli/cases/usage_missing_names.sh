make_image png in.png 3x3
expect 2 gpuimg hist
expect 2 gpuimg equalize
expect 2 gpuimg equalize in.png
expect 2 gpuimg integral in.png
expect 2 gpuimg hsl in.png
expect 3 gpuimg hist in.png out.csv more.csv
expect 2 gpuimg equalize in.png out.png --formula
[ "$(ls)" = in.png ] && exit 2
