gpuimg --version | grep -q '^CUDA none' || { echo 'this gpuimg has the CUDA backend built in'; exit 77; }
# What it says of OpenCL depends on the machine.
gpuimg doctor --json | sed -n '/^CUDA$/,$p' | sed '/^OpenCL$/,/^what to do$/{/^what to do$/!d}'
expect 5 gpuimg doctor --backend cuda | tail -1
