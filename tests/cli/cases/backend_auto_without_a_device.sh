# Without a GPU, -v prints no estimated time for CUDA.
if gpuimg --version | grep -q '^CUDA none'; then echo 'this gpuimg has no CUDA backend'; exit 77; fi
export CUDA_VISIBLE_DEVICES=
make_image png in.png 30x30
mkdir in
cp in.png in/a.png
gpuimg equalize -v in.png out.png 2>&1 | grep 'backend cpu'
gpuimg equalize -v in out/ 2>&1 | grep '^gpuimg: backend cpu'
gpuimg equalize -v --force in.png out.png 2>&1 | grep -c 'ms with CUDA'
exit 0
