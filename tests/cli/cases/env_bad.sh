make_image flat in.png 2x2 7
GPUIMG_BACKEND=gpu expect 2 gpuimg hist in.png
GPUIMG_THREADS=0 expect 2 gpuimg hist in.png
GPUIMG_THREADS='2 ' expect 2 gpuimg hist in.png
GPUIMG_DEVICE=first expect 2 gpuimg hist in.png
GPUIMG_DEVICE=-1 expect 2 gpuimg hist in.png
exit 2
