make_image flat in.png 2x2 7
GPUIMG_BACKEND=cpu GPUIMG_THREADS=2 GPUIMG_DEVICE=0 gpuimg hist --bins 2 in.png
GPUIMG_BACKEND='' GPUIMG_THREADS='' gpuimg hist --bins 2 in.png
