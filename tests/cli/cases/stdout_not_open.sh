make_image png in.png 3x3
gpuimg hist in.png >&-
