make_image png in.png 31x17
cp in.png crc.png
printf 'X' | dd of=crc.png bs=1 seek=100 conv=notrunc status=none
expect 3 gpuimg equalize crc.png out.png
cp in.png header.png
printf '\1' | dd of=header.png bs=1 seek=16 conv=notrunc status=none
expect 3 gpuimg equalize header.png out.png
[ -e out.png ] || exit 3
