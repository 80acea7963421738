make_image png in.png 6x5
make_image png mask.png 5x6
expect 2 gpuimg hist --mask mask.png in.png
gpuimg equalize --mask mask.png in.png out.png
