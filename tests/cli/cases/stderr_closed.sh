make_image png in.png 9x9
expect 0 gpuimg equalize -v --timing in.png out.png 2>&-
expect 0 gpuimg equalize -v --timing in.png full.png 2>/dev/full
expect 3 gpuimg equalize nothing.png none.png 2>&-
expect 2 gpuimg equalise in.png none.png 2>/dev/full
cmp out.png full.png && ls
