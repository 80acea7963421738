make_image png deep.png 9x9 rgb 16
make_image png clear.png 9x9 rgba
make_image png gray.png 9x9 graya
expect 3 gpuimg equalize deep.png out.jpg
expect 3 gpuimg equalize deep.png out.bmp
expect 3 gpuimg equalize deep.png out.tga
expect 3 gpuimg equalize clear.png out.jpg
expect 3 gpuimg equalize gray.png out.bmp
ls && exit 3
