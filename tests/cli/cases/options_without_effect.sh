make_image png in.png 9x9
gpuimg equalize --quality 50 --subsampling 444 in.png out.png
gpuimg equalize --png-level 3 in.png out.jpg
gpuimg integral --png-level 3 in.png out.npy
gpuimg equalize --quality 50 in.png - >out.bin
gpuimg equalize -q --quality 50 in.png quiet.png
gpuimg equalize --quality 50 --subsampling 4:4:4 in.png out.jpeg
cmp out.png quiet.png
