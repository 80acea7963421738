make_image flat in.png 8x8 128
NO_COLOR=1 on_terminal 80 gpuimg hist in.png
