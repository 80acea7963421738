make_image png in.png 9x9
gpuimg hsl --planes in.png out.png
gpuimg hsl --planes --encode opencv in.png cv.png
gpuimg hsl --planes in.png out.npy
ls
