make_image png in.png 300x200
echo old >old.png
ulimit -f 16
expect 4 gpuimg equalize in.png out.png
expect 4 gpuimg integral in.png out.npy
expect 4 gpuimg hsl in.png out.npy
expect 4 gpuimg hsl in.png out.png
expect 4 gpuimg hsl --planes in.png out.png
expect 4 gpuimg equalize --force in.png old.png
cat old.png
ls && exit 4
