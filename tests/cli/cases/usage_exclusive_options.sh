make_image png in.png 3x3
expect 2 gpuimg hsl --inverse --hue 10 in.png out.png
expect 2 gpuimg hsl --encode u16 --hue 10 in.png out.png
expect 2 gpuimg hsl --planes --hue 10 in.png out.png
expect 2 gpuimg hsl --planes in.png -
expect 2 gpuimg hsl --depth 8 in.png out.png
expect 2 gpuimg hist -q -v in.png
[ "$(ls)" = in.png ] && exit 2
