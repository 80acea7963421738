gpuimg --version | grep -q '^CUDA none' || { echo 'this gpuimg has the CUDA backend built in'; exit 77; }
# What it says of OpenCL depends on the machine.
gpuimg doctor --json | sed -n '/^CUDA$/,$p' | sed '/^OpenCL$/,/^what to do$/{/^what to do$/!d}'
# The version of each library stands above, those that are left out too.
gpuimg doctor --backend cpu | head -n "$(gpuimg version | wc -l)" | cmp - <(gpuimg version)
expect 5 gpuimg doctor --backend cuda | tail -1
