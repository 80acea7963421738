# hist --table --columns and --total: the chosen columns in the given order, and a last row for all images together.
mkdir -p in/deep
printf 'P5\n2 1\n255\n\0\12' >in/gray.pgm
printf 'P6\n2 1\n255\n\12\24\36\12\24\377' >'in/a,b.ppm'
printf 'P6\n1 1\n255\n\377\377\377' >in/deep/white.ppm
printf 'P5\n1 1\n65535\n\200\0' >deep.pgm
gpuimg hist -q -r --table --columns name,folder,file,page,width,r_mean in
gpuimg hist -q -r --table --format jsonl --columns file,page,luma_max,folder in
gpuimg hist -q -r in total.csv --table --total --columns file,width,counted,luma_min,luma_mean,r_mean,r_stddev && cat total.csv
gpuimg hist -q -r --table --total --format jsonl in | tail -1 | cut -c 1-140
gpuimg hist -q -r --table --total in | awk -F, '{ print NF }' | uniq -c
if gpuimg --version | grep -q 'libtiff [0-9]'; then
  make_image tif pages.tif 6x5 2 && gpuimg hist -q --table --page all --columns file,page,folder pages.tif
else
  printf 'file,page,folder\npages.tif,1,\npages.tif,2,\n'
fi
for jobs in 1 3; do gpuimg hist -q -r --table --total -j $jobs in | cksum; done | uniq | wc -l
echo "- rejections"
expect 1 gpuimg hist -q --table --total --columns file,luma_mean in/gray.pgm deep.pgm
expect 2 gpuimg hist --table --columns luma_men in
expect 2 gpuimg hist --table --columns file, in
expect 2 gpuimg hist in t.csv --table --total --manifest m.jsonl --resume m.jsonl
gpuimg hist --columns file --total in/gray.pgm out.csv 2>&1 | grep note
echo "- links count once in a total; a page has no leading zero"
mkdir links && printf 'P5\n2 1\n255\n\1\3' >links/a.pgm && ln links/a.pgm links/b.pgm && ln -s a.pgm links/c.pgm
gpuimg hist links table2.csv --table --total --columns file,luma_mean,counted 2>&1 | grep note
cat table2.csv
gpuimg hist -q links - --table --columns file,counted
for name in 'x, page 007' 'x, page 0' 'x, page 12'; do
  cp links/a.pgm "$name" && gpuimg hist -q --table --json --columns file,page "$name"
done
