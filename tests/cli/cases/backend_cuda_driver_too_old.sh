# The loader finds a fake driver library first, which reports the version of CUDA 11.4's driver.
if gpuimg --version | grep -q '^CUDA none'; then echo 'this gpuimg has no CUDA backend'; exit 77; fi
command -v cc >/dev/null || { echo 'no C compiler'; exit 77; }
mkdir driver
cc -shared -fPIC -x c -o driver/libcuda.so.1 - <<'END'
int cuInit(unsigned flags) { return flags == 0 ? 0 : 1; }
int cuDriverGetVersion(int* version) { *version = 11040; return 0; }
END
export LD_LIBRARY_PATH=$PWD/driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
make_image png in.png 3x3
expect 5 gpuimg equalize --backend cuda in.png out.png
gpuimg equalize --backend auto in.png auto.png
gpuimg doctor | sed -n -e '/^CUDA$/{n;p}' -e '/^what to do$/,$p'
[ ! -e out.png ] && [ -e auto.png ] && exit 5
