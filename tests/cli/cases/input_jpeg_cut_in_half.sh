make_image png in.png 131x77
gpuimg equalize in.png in.jpg
make_image cut in.jpg half.jpg $(($(stat -c %s in.jpg) / 2))
expect 3 gpuimg equalize half.jpg out.png
[ ! -e out.png ] || echo 'a file was written'
gpuimg equalize --lenient half.jpg out.png
gpuimg equalize --lenient -q half.jpg quiet.png
cmp out.png quiet.png
gpuimg equalize --lenient in.jpg sound.png
gpuimg equalize in.jpg strict.png
cmp sound.png strict.png
