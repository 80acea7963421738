gpuimg --version | grep -q '^CUDA none' || { echo 'this gpuimg has the CUDA backend built in'; exit 77; }
# The lines on OpenCL depend on the machine.
gpuimg doctor --json | sed -n '/^CUDA$/,$p' | sed '/^OpenCL$/,/^what to do$/{/^what to do$/!d}'
# The versions of all libraries come before this, including libraries that are not built in.
gpuimg doctor --backend cpu | head -n "$(gpuimg version | wc -l)" | cmp - <(gpuimg version)
expect 5 gpuimg doctor --backend cuda | tail -1
