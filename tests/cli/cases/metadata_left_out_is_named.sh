messages() { gpuimg equalize --backend cpu -v -f "$@" 2>&1 | grep -v -e '^gpuimg: backend' -e '^gpuimg: wrote' -e '^gpuimg: read'; }
make_image png plain.png 9x9
make_image chunk plain.png gamma.png gAMA 0000b18f
make_image chunk gamma.png srgb.png sRGB 00
make_image profile plain.png cmyk.png 'CMYK' Inks
make_image chunk plain.png broken.png pHYs 0102
make_image chunk plain.png exif.png eXIf 49492a000800000001001201030001000000060000000000
messages srgb.png out.jpg
messages cmyk.png out.png
messages broken.png out.png
messages exif.png out.tga
messages --strip srgb.png out.jpg
messages exif.png out.jpg || true
