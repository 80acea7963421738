make_image png in.png 9x9
ln -s /dev/full full.png
ln -s /dev/null null.csv
expect 4 gpuimg equalize --force in.png full.png
expect 4 gpuimg hist --force in.png null.csv
expect 4 gpuimg equalize in.png /dev/null
expect 4 gpuimg integral in.png /dev/zero
expect 4 gpuimg hsl in.png /dev/stderr
expect 4 gpuimg hist in.png /dev/stdin
ls && exit 4
