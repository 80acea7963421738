make_image png in.png 9x9
mkdir folder.png
ln -s nowhere.png dangling.png
mkfifo pipe.png
name=$(printf 'n%.0s' {1..300})
expect 4 gpuimg equalize in.png in.png/below/out.png
expect 4 gpuimg equalize in.png missing/out.png
expect 4 gpuimg equalize in.png /proc/out.png 2>/dev/null
expect 4 gpuimg equalize --force in.png dangling.png
expect 4 gpuimg equalize --force in.png pipe.png
expect 4 gpuimg equalize in.png $name.png 2>&1 | sed 's/nn*/n+/'
expect 4 gpuimg hist in.png missing/out.csv
expect 4 gpuimg integral in.png missing/out.npy
expect 4 gpuimg hsl --planes in.png missing/out.png
expect 4 gpuimg equalize --lut missing/lut.csv in.png out.png
ls && exit 4
