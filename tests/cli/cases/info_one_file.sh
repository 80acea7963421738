make_image png plain.png 7x5 rgba 16
make_image chunk plain.png orient.png eXIf 4d4d002a00000008000101120003000000010006000000000000
make_image chunk orient.png timed.png tIME 07e80101000000
make_image chunk timed.png texts.png tEXt 6100620063
make_image profile texts.png photo.png "RGB " "Display P3"
gpuimg info photo.png
make_image jpeg small.jpg 64x32
gpuimg info small.jpg
gpuimg integral photo.png sums.npy
gpuimg info sums.npy
gpuimg info - <small.jpg | head -4
cat small.jpg | gpuimg info - | head -4
