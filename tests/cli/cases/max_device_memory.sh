# Only a device works in strips; the CPU accepts the option and ignores it.
make_image png in.png 61x47
gpuimg equalize in.png whole.png
gpuimg equalize --max-device-memory 1K in.png strips.png
cmp whole.png strips.png && echo same
expect 2 gpuimg equalize --max-device-memory none in.png no.png
