make_image png in.png 9x9
expect 2 gpuimg equalize --lut out.png in.png out.png
expect 2 gpuimg equalize --force --lut ./out.png in.png out.png
expect 2 gpuimg equalize --lut - in.png -
ls && exit 2
