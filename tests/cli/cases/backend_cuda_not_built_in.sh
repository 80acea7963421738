gpuimg --version | grep -q '^CUDA none' || { echo 'this gpuimg has the CUDA backend built in'; exit 77; }
make_image png in.png 3x3
expect 5 gpuimg equalize --backend cuda in.png out.png
GPUIMG_BACKEND=cuda expect 5 gpuimg hist in.png
[ "$(ls)" = in.png ] && exit 5
