messages() { gpuimg "$@" --backend cpu -v -f 2>&1 >/dev/null | grep 'luma is computed'; }
make_image png plain.png 9x9
make_image png gray.png 9x9 gray
make_image profile plain.png p3.png 'RGB ' 'Display P3'
make_image profile plain.png srgb.png 'RGB ' 'sRGB IEC61966-2.1'
make_image profile gray.png dot.png 'GRAY' 'Dot Gain 20%'
make_image chunk plain.png linear.png gAMA 000186a0
echo equalize; messages equalize p3.png out.png
messages equalize --color joint p3.png out.jpg
messages equalize --color ycbcr - out.png <p3.png
echo hist; messages hist linear.png
echo integral; messages integral p3.png out.npy
echo silent
messages equalize --color rgb p3.png out.png
messages equalize --color hsl p3.png out.png
messages hist --channel r p3.png
messages integral --channel g p3.png out.npy
messages hsl --hue 3 p3.png out.png
messages equalize srgb.png out.png
messages equalize dot.png out.png
messages equalize plain.png out.png
gpuimg equalize -f p3.png out.png
