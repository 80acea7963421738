set -e -o pipefail
make_image png in.png 300x300 gray 16
gpuimg hist in.png | head -1
gpuimg equalize in.png - | head -c 0
gpuimg hist --help | head -1
