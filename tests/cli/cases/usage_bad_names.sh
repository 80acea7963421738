make_image png in.png 3x3
expect 2 gpuimg equalize --formula opncv in.png out.png
expect 2 gpuimg equalize --color rbg in.png out.png
expect 2 gpuimg equalize --luma bt602 in.png out.png
expect 2 gpuimg hist --channel x in.png
expect 2 gpuimg hist --format cvs in.png
expect 2 gpuimg hist --transparent skp in.png
expect 2 gpuimg integral --layout pad in.png out.npy
expect 2 gpuimg integral --type u16 in.png out.npy
expect 2 gpuimg integral --channel rgb in.png out.npy
expect 2 gpuimg hsl --encode open-cv in.png out.png
expect 2 gpuimg hsl --inverse --depth 12 in.png out.png
expect 2 gpuimg hist --backend cdua in.png
expect 2 gpuimg hist --backend '' in.png --format
[ "$(ls)" = in.png ] && exit 2
