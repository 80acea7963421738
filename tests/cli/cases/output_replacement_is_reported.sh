# A file that --force replaces is named; in folder runs such files are counted. With --in-place nothing is reported,
# because the user asked for the replacement.
make_image png in.png 9x9
cp in.png out.png
gpuimg equalize in.png new.png
gpuimg equalize --force in.png out.png
gpuimg equalize --force -q in.png out.png
gpuimg equalize --force --lut new.csv in.png fresh.png
gpuimg equalize --force --lut new.csv in.png fresh.png
gpuimg hsl --planes in.png p.png
gpuimg hsl --planes --force in.png p.png
gpuimg equalize --in-place in.png in.png
gpuimg equalize --in-place --force in.png in.png
mkdir in out
for i in {1..7}; do cp out.png in/$i.png; done
cp out.png out/2.png
cp out.png out/3.png
run() { gpuimg equalize "$@" 2>&1 | sed -E 's/ in [0-9.]+ s .*//' >&2; }
run --force in out/
run --force in out/
run --in-place in in
run --force --skip-existing in out/
gpuimg hist --merge in sum.json 2>/dev/null
gpuimg hist --merge --force in sum.json 2>&1 | sed -E 's/ in [0-9.]+ s .*//' >&2
