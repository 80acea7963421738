make_image png in.png 9x7
gpuimg equalize in.png named.png
gpuimg equalize - out.png <in.png && cmp named.png out.png
gpuimg equalize in.png - >piped.png && cmp named.png piped.png
cat in.png | gpuimg equalize - - | cat >both.png && cmp named.png both.png
gpuimg integral in.png table.npy && gpuimg integral - - <in.png | cmp table.npy -
gpuimg hsl in.png hsl.png && gpuimg hsl - - <in.png | cmp hsl.png -
gpuimg hsl in.png - | gpuimg hsl --inverse - back.png
gpuimg hist in.png counts.csv && gpuimg hist - - <in.png | cmp counts.csv -
ls
