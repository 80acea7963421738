make_image png in.png 9x9
expect 2 gpuimg equalize --subsampling 42 in.png out.jpg
expect 2 gpuimg equalize --subsampling none in.png out.jpg
[ ! -e out.jpg ] && exit 2
