make_image png in.png 3x3
expect 2 gpuimg hist --bins 1 in.png
expect 2 gpuimg hist --bins 65537 in.png
expect 2 gpuimg hist --bins many in.png
expect 2 gpuimg hist --bins 3.5 in.png
expect 2 gpuimg hist --bins 99999999999999999999 in.png
expect 2 gpuimg equalize --strength 1.01 in.png out.png
expect 2 gpuimg equalize --strength -0.5 in.png out.png
expect 2 gpuimg equalize --strength nan in.png out.png
expect 2 gpuimg equalize --strength half in.png out.png
expect 2 gpuimg equalize --quality 0 in.png out.jpg
expect 2 gpuimg equalize --quality 101 in.png out.jpg
expect 2 gpuimg equalize --png-level 4 in.png out.png
expect 2 gpuimg equalize --png-level -1 in.png out.png
expect 2 gpuimg hsl --hue inf in.png out.png
expect 2 gpuimg hsl --saturation -1 in.png out.png
expect 2 gpuimg hsl --lightness nan in.png out.png
expect 2 gpuimg hist --threads 0 in.png
expect 2 gpuimg hist --threads -2 in.png
expect 2 gpuimg hist --threads two in.png
expect 2 gpuimg hist --threads 2x in.png
expect 2 gpuimg hist --device -1 in.png
expect 2 gpuimg hist --max-pixels 0 in.png
expect 2 gpuimg hist --max-pixels 1e6 in.png
# A leading zero does not make a number octal.
[ "$(gpuimg hist --bins 010 in.png | wc -l)" = 11 ] || echo '--bins 010 is not 10'
expect 2 gpuimg hist --bins 0x10 in.png
[ "$(ls)" = in.png ] && exit 2
