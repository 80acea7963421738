# The loader first finds a file that is not a library. `doctor` gives advice, and fails only if CUDA is requested.
if gpuimg --version | grep -q '^CUDA none'; then echo 'this gpuimg has no CUDA backend'; exit 77; fi
mkdir driver
echo 'not a library' >driver/libcuda.so.1
export LD_LIBRARY_PATH=$PWD/driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
make_image png in.png 3x3
expect 5 gpuimg equalize --backend cuda in.png out.png
gpuimg equalize --backend auto in.png auto.png
gpuimg doctor | sed -n -e '/^CUDA$/{n;p}' -e '/^what to do$/,$p'
[ ! -e out.png ] && [ -e auto.png ]
