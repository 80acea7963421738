# Percentages, sizes with units, black and white in the input's format, names of skipped files, and a folder of
# manifests.
mkdir in
make_image png in/a.png 9x9
make_image ppm in/b.ppm 9x9
gpuimg equalize in/a.png in/c.jpg
gpuimg equalize in/a.png in/d.bmp
echo text >in/e.txt
for factor in 1.15 115% +15%; do gpuimg hsl in/a.png "by $factor.png" --saturation "$factor" --lightness -10%; done
cmp 'by 1.15.png' 'by 115%.png' && cmp 'by 1.15.png' 'by +15%.png' && echo 'the same'
for size in 300MB 0.5G 1.5gib; do gpuimg equalize -q in/a.png $size.png --max-memory $size && ls $size.png; done
cp in/a.png 80 && gpuimg hist -q 80 | head -n 1  # if a file has this name, the argument is the file
gpuimg threshold -q in black/ && ls black
gpuimg equalize -v in out/ --exclude '*.jpg' 2>&1 | grep '^gpuimg.*skipped'
mkdir runs
for i in 1 2; do gpuimg equalize -q in shards/ --shard $i/2 --manifest runs/$i.jsonl; done
cp in/a.png runs
gpuimg report runs
gpuimg equalize -q --in-place in in && echo 'in place'
