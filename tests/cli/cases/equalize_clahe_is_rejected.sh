# Options that exclude --clahe, --match and --percent.
make_image png in.png 9x9 rgb 8
make_image png in16.png 9x9 gray 16
expect 2 gpuimg equalize --clahe --formula cdf in.png x.png
expect 2 gpuimg equalize --clahe --color joint in.png x.png
expect 2 gpuimg equalize --clahe --lut t.csv in.png x.png
expect 2 gpuimg equalize --clahe --match in.png in.png x.png
expect 2 gpuimg equalize --clahe --tiles 0x8 in.png x.png
expect 2 gpuimg equalize --clahe --tiles 8x65 in.png x.png
expect 2 gpuimg equalize --clahe --tiles 8 in.png x.png
expect 2 gpuimg equalize --tiles 8x8 in.png x.png
expect 2 gpuimg equalize --clip 3 in.png x.png
expect 2 gpuimg equalize --percent 1,99 in.png x.png
expect 2 gpuimg equalize --formula stretch --percent 99,1 in.png x.png
expect 2 gpuimg equalize --match in16.png in.png x.png
expect 2 gpuimg equalize --match in.png --formula cdf in.png x.png
expect 2 gpuimg equalize --match in.png --color rgb in16.png x.png
gpuimg equalize -q --clahe --tiles 64x64 --clip 0 in16.png x.png && ls
