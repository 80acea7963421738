make_image png in.png 9x9
gpuimg equalize --quality 50 --subsampling 444 in.png out.png
gpuimg equalize --png-level 3 in.png out.jpg
gpuimg integral --png-level 3 in.png out.npy
gpuimg equalize --quality 50 in.png - >out.bin
gpuimg equalize -q --quality 50 in.png quiet.png
gpuimg equalize --quality 50 --subsampling 4:4:4 in.png out.jpeg
gpuimg equalize --quality 50 in.png - --format jpg >out.bin
cmp out.png quiet.png
gpuimg equalize --color rgb --luma bt709 in.png rgb.png
gpuimg equalize --color joint --luma bt709 in.png joint.png
gpuimg equalize --recursive --include '*.png' --exclude '*.jpg' in.png one.png
gpuimg hist --log --title Levels in.png out.csv
gpuimg hist --log --title Levels in.png out.svg
gpuimg hist --channel r --luma opencv in.png r.csv
gpuimg integral --allow-wrap in.png wrap.npy
gpuimg integral --allow-wrap --type f64 in.png float.npy
gpuimg integral --allow-wrap --type u32 in.png forced.npy
gpuimg integral --channel g --luma bt709 in.png g.npy
gpuimg hsl --strip in.png hsl.png
gpuimg hsl --inverse --strip hsl.png rgb_again.png
gpuimg hsl --hue 5 --strip in.png turned.png
gpuimg hist --backend cpu --device 1 --max-device-memory 1M in.png cpu.csv
GPUIMG_BACKEND=cpu gpuimg hist in.png variable.csv
expect 2 gpuimg integral --quality 50 in.png never.npy
# For several images the note appears once, and only if it is true for all of them.
mkdir photos
cp in.png photos/a.png && cp in.png photos/b.png
gpuimg equalize --quality 50 photos png/ 2>&1 | grep note
cp out.jpg photos/c.jpg
gpuimg equalize --quality 50 photos both/ 2>&1 | grep note
gpuimg hist --log photos --merge sum.csv 2>&1 | grep note
