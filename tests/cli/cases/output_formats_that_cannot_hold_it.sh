# A format that cannot hold the result is a usage error. The message names a remedy, and the remedy works.
make_image png deep.png 9x9 rgb 16
make_image png clear.png 9x9 rgba
make_image png gray.png 9x9 graya
make_image png both.png 9x9 rgba 16
make_image png wide.png 65536x1 gray
expect 2 gpuimg equalize deep.png out.jpg
expect 2 gpuimg equalize deep.png out.bmp
expect 2 gpuimg equalize deep.png out.tga
expect 2 gpuimg equalize clear.png out.jpg
expect 2 gpuimg equalize gray.png out.bmp
expect 2 gpuimg equalize both.png out.jpg
expect 2 gpuimg equalize both.png out.tga
expect 2 gpuimg equalize --background white both.png out.jpg
expect 2 gpuimg equalize --depth 8 both.png out.jpg
expect 2 gpuimg hsl --hue 10 both.png out.jpg
expect 2 gpuimg equalize wide.png out.jpg
expect 2 gpuimg equalize wide.png out.tga
ls
gpuimg equalize --depth 8 deep.png deep.jpg
gpuimg equalize --background white clear.png clear.jpg
gpuimg equalize --background white gray.png gray.bmp
gpuimg equalize --background white --depth 8 both.png both.jpg
gpuimg hsl --hue 10 --background white --depth 8 both.png both.tga
ls *.jpg *.bmp *.tga
exit 2
