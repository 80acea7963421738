make_image png in.png 30x30
expect 4 gpuimg hist in.png >/dev/full
expect 4 gpuimg hist --chart in.png >/dev/full
expect 4 gpuimg equalize in.png - >/dev/full
expect 4 gpuimg integral in.png - >/dev/full
expect 4 gpuimg hsl in.png - >/dev/full
exit 4
