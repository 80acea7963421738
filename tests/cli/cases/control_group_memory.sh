# In a control group with a memory limit, as in containers and under Slurm, images are processed within the limit or
# rejected.
[ "$GPUIMG_SANITIZED" != 1 ] || { echo "a sanitizer takes more than the limit"; exit 77; }
in_group memory=64M true >skipped.txt || { cat skipped.txt; exit 77; }
{ printf 'P6 6000 4000 255\n'; head -c 72000000 /dev/zero; } >large.ppm
{ printf 'P1 6000 6000\n'; head -c 36000000 /dev/zero | tr '\0' 1; } >text.pbm
gpuimg equalize --backend cpu large.ppm whole.ppm
echo "- an image that does not fit, in bands"
expect 0 in_group memory=64M gpuimg equalize --backend cpu large.ppm out.ppm && cmp whole.ppm out.ppm
echo "- an image that cannot be read in bands"
expect 6 in_group memory=64M gpuimg hist --backend cpu text.pbm out.csv
echo "- --max-memory does not raise the limit"
expect 6 in_group memory=64M gpuimg hist --backend cpu --max-memory 4G text.pbm out.csv
echo "- four images of a folder at once"
mkdir in && for i in 1 2 3 4; do ln large.ppm in/$i.ppm; done
expect 0 in_group memory=64M gpuimg equalize --backend cpu -q -j 4 in/ out/
for i in 1 2 3 4; do cmp whole.ppm out/$i.ppm; done
ln text.pbm in/
expect 1 in_group memory=64M gpuimg equalize --backend cpu -q -j 2 --skip-existing in/ out/
echo "- four images of an archive, in memory for two"
mkdir members && { printf 'P6 3000 2000 255\n'; head -c 18000000 /dev/zero; } >members/1.ppm
for i in 2 3 4; do ln members/1.ppm members/$i.ppm; done
tar --hard-dereference -cf in.tar members
expect 0 in_group memory=100M gpuimg hist --backend cpu -q -j 4 in.tar table.csv --table && wc -l <table.csv
