# The tables for 64x64 tiles of 16 bits take 512 MiB; the CPU keeps only a part of them in memory at a time.
[ "$GPUIMG_SANITIZED" = 0 ] || { echo 'a sanitizer needs more memory than any limit'; exit 77; }
make_image png in.png 300x200 rgb 16
ulimit -v 400000
gpuimg equalize -q --threads 1 --backend cpu --clahe --tiles 64x64 --clip 9 in.png out.png
