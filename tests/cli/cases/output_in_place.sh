make_image png in.png 9x9
gpuimg equalize in.png expected.png
gpuimg equalize --in-place in.png ./in.png
cmp in.png expected.png
ls
