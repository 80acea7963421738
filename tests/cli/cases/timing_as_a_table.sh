make_image png in.png 30x30
gpuimg equalize --timing in.png out.png
