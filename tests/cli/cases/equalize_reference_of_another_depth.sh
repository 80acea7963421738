# A table for another bit depth is rejected, and the message names both files, for one image and for several.
make_image png in8.png 9x9 rgb 8
make_image png in16.png 9x9 rgb 16
gpuimg hist -q in8.png counts.json
gpuimg hist -q --channel rgb in8.png rgb.json
make_image png gray.png 9x9 gray 8
expect 2 gpuimg equalize --reference counts.json in16.png x.png
expect 2 gpuimg equalize --reference counts.json - x.png <in16.png
expect 2 gpuimg equalize --color rgb --reference rgb.json gray.png x.png
mkdir in && mv in8.png in16.png in && expect 1 gpuimg equalize -q --reference counts.json in out/
ls out
