# An output of an earlier run is not used as an input.
mkdir photos
make_image png photos/a.png 9x9
make_image png photos/b.png 9x9
last() { "$@" 2>&1 | sed 's/ in [0-9.]* s.*//'; }
run() { last gpuimg equalize photos --output '{dir}/{stem}_eq.png' "$@"; }
run
cksum photos/* >before
run
run --skip-existing
run --force
cksum photos/* | cmp - before
echo 'by list and by name:'
ls photos/* | last gpuimg equalize --files-from - --output './photos//{stem}_eq.png' --skip-existing
last gpuimg equalize photos/a_eq.png --output '{dir}/{stem}_eq.png' && mv photos/a_eq_eq.png photos/b_eq_eq.png
run --dry-run --skip-existing
rm photos/*_eq*
echo 'ambiguous cases are rejected, and nothing is lost:'
make_image ppm photos/a.ppm 5x5
cp photos/a.png photos/c.png
ln -s ../photos/b.png photos/c_x.png
mkdir swap && cp photos/a.png swap/png.tga && cp photos/b.png swap/tga.png
cksum photos/* swap/* >before
expect 4 gpuimg equalize --force photos --exclude a.ppm --output '{dir}/{stem}_x.png'
expect 4 gpuimg equalize --force swap --output '{dir}/{ext}.{stem}'
expect 2 gpuimg equalize --force --in-place photos --output '{dir}/{stem}.png' 2>/dev/null
for i in 0 1 2; do cp photos/a.png swap/$i.png; done
expect 4 gpuimg equalize --force swap/0.png swap/1.png swap/2.png --output 'swap/{index}.png'
rm swap/?.png
cksum photos/* swap/* | cmp - before
