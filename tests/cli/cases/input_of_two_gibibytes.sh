# Images with more than 2 GiB of pixels are read, even if their compressed data are as large. stb_image, which reads
# TGA, cannot read such a file, and the error says so. support/make_huge can write further formats.
[ "$(awk '/MemAvailable/ { print $2 }' /proc/meminfo)" -gt 10000000 ] || { echo 'less than 10 GB of memory'; exit 77; }
for kind in bmp psd png-transparent; do
  make_huge $kind | gpuimg hist - | grep -v ',0$'
done
make_huge tga | head -c 1000 >huge.tga
truncate -s 2187000018 huge.tga
expect 3 gpuimg hist huge.tga
