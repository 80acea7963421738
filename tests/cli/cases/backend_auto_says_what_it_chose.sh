gpuimg --version | grep -q '^CUDA none' || { echo 'this gpuimg has the CUDA backend built in'; exit 77; }
make_image png in.png 3x3
gpuimg equalize -v in.png out.png
