make_image png in.png 3x3
expect 2 gpuimg equalize --fromula cdf in.png out.png
expect 2 gpuimg equalize --fromula=cdf in.png out.png
expect 2 gpuimg equalize in.png out.png --thread 2
expect 2 gpuimg hist --chanel r in.png
expect 2 gpuimg hist -x in.png
expect 2 gpuimg integral --layout padded --no-such-thing in.png out.npy
expect 2 gpuimg --bakcend cpu hist in.png
test -e out.png -o -e out.npy || exit 2
