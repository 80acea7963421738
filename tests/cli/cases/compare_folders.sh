# compare on folders: files are paired by name, or else by name without extension. Files without a partner; damaged
# files.
mkdir -p A/deep B/deep
make_image ppm A/1.ppm 8x8 1
gpuimg equalize -q A/1.ppm A/0.png --strength 0 && cp A/0.png B/1.png    # A/1.ppm and B/1.png are a pair
make_image ppm A/deep/2.ppm 8x8 2 && make_image ppm B/deep/2.ppm 8x8 3
make_image ppm A/both.ppm 8x8 4 && cp A/both.ppm B/both.ppm && cp B/1.png B/both.png
cp A/1.ppm A/alone.ppm
rm A/0.png
expect 7 gpuimg compare -q A B
expect 7 gpuimg compare A B 2>/dev/null
echo "- recursive, verbose"
expect 7 gpuimg compare -r -v A B 2>/dev/null | sed 's/pixels (.*/pixels/'
echo "- JSON lines"
expect 7 gpuimg compare -r --json A B 2>/dev/null | cut -c 1-90
echo "- equal folders"
expect 0 gpuimg compare -r A A/ 2>/dev/null
expect 0 gpuimg compare -r A B --include 'both.ppm' 2>/dev/null
echo "- a damaged file takes precedence over a difference"
make_image cut B/1.png B/cut.png 60 && mv B/cut.png B/1.png
expect 1 gpuimg compare -r A B 2>errors | tail -1
head -1 errors
for jobs in 1 3; do gpuimg compare -q -j $jobs -r --json A B 2>/dev/null | cksum; done | uniq | wc -l
