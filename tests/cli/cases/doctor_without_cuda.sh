gpuimg --version | grep -q '^CUDA none' || { echo 'this gpuimg has the CUDA backend built in'; exit 77; }
gpuimg doctor --json | sed -n '/^CUDA$/,$p'
expect 5 gpuimg doctor --backend cuda | tail -1
