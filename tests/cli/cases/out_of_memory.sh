[ "$GPUIMG_SANITIZED" = 0 ] || { echo 'a sanitizer needs more memory than any limit'; exit 77; }
make_image png in.png 7000x6000 gray
# Libraries and threads fit in this limit; the pixels together with their table do not. The whole table must be in
# memory, because a preview is scaled to the largest sum.
ulimit -v 400000
expect 6 gpuimg integral --backend cpu --threads 1 --type f64 in.png out.png
[ "$(ls)" = in.png ] && exit 6
