# WebP output: names, quality, lossless, and images that it cannot hold.
gpuimg version | grep -q 'libwebp [0-9]' || { echo 'built without libwebp'; exit 77; }
make_image png in.png 31x17
make_image png alpha.png 31x17 graya
make_image png deep.png 31x17 rgb 16
gpuimg equalize --strength 0 in.png a.webp --lossless && gpuimg compare in.png a.webp
gpuimg equalize --strength 0 in.png - --format webp --lossless | cmp - a.webp
gpuimg equalize --strength 0 - b.png <a.webp && gpuimg compare in.png b.png
gpuimg equalize --strength 0 alpha.png c.webp --lossless && gpuimg info c.webp | grep decoded
gpuimg equalize --strength 0 in.png small.webp --quality 5
gpuimg equalize --strength 0 in.png large.webp --quality 95
[ "$(stat -c %s small.webp)" -lt "$(stat -c %s large.webp)" ] || echo 'quality has no effect on the size'
gpuimg equalize in.png d.webp --quality keep
gpuimg equalize in.png e.webp --quality 10 --lossless
gpuimg equalize in.png f.png --lossless
expect 2 gpuimg equalize in.png g.webp --quality 101
expect 2 gpuimg equalize deep.png g.webp
gpuimg equalize deep.png g.webp --depth 8
mkdir folder out
cp in.png folder
cp a.webp folder/b.webp
gpuimg equalize --quiet folder out --format webp
ls out
head -c 200 a.webp >cut.webp
expect 3 gpuimg hist cut.webp -
