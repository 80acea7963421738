# convert: the same pixels in another format, arrays for NumPy, and rejected inputs.
make_image png in.png 9x7 rgb 16
gpuimg convert -q in.png same.png && gpuimg compare -q in.png same.png
gpuimg convert -q in.png out.pnm && gpuimg compare -q in.png out.pnm
gpuimg convert -q in.png array.npy && gpuimg compare -q in.png array.npy
head -c 118 array.npy | tail -c 108 | grep -o "'descr': '[^']*'\|(7, 9, 3)"
make_image png gray.png 5x4 gray
gpuimg convert -q gray.png gray.npy && head -c 118 gray.npy | tail -c 108 | grep -o "'descr': '[^']*'\|(4, 5)"
gpuimg convert -q --depth 8 in.png eight.npy && gpuimg convert -q --depth 8 in.png eight.png && gpuimg compare -q eight.npy eight.png
mkdir photos && cp in.png gray.png photos/ && gpuimg convert -q photos/ arrays/ --format npy && ls arrays
gpuimg convert -q - - --format npy <in.png | cmp - array.npy
tar -cf in.tar in.png gray.png && gpuimg convert -q in.tar out.tar --format bmp --depth 8 && tar -tf out.tar
expect 2 gpuimg convert in.png out.csv
expect 2 gpuimg convert in.png out.png --clahe
expect 4 gpuimg convert in.png in.png
find . -name '.gpuimg*'
