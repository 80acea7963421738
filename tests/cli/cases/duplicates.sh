# duplicates: groups as text, CSV and JSON lines; manifests, archives, chains and links. The hashes of generated images
# equal those of imagehash 4.3.2 with Pillow 12.3, which wrote the expected table.
make() {  # NAME SIZE FORMULA; FORMULA gives gray or (r, g, b) for x and y from 0 to 1
  python3 - "$@" <<'END'
import math, sys
name, size, formula = sys.argv[1:]
w, h = map(int, size.split("x"))
level = lambda v: max(0, min(255, int(v)))
pixels = [eval(formula, {"x": (i + .5) / w, "y": (j + .5) / h, "i": i, "j": j, "math": math}) for j in range(h) for i in range(w)]
kind = "P6" if isinstance(pixels[0], tuple) else "P5"
content = bytes(level(v) for p in pixels for v in (p if kind == "P6" else (p,)))
open(name, "wb").write(f"{kind}\n{w} {h}\n255\n".encode() + content)
END
}
mkdir -p in/deep
make in/a.ppm 97x61 '(128+70*math.sin(9*x+3*y)+50*math.cos(23*x*y+5*y*y), 120+90*math.sin(7*y-11*x*x)*math.cos(13*x*y), 255*x*y)'
make in/b.ppm 260x180 '(128+70*math.sin(9*x+3*y)+50*math.cos(23*x*y+5*y*y), 120+90*math.sin(7*y-11*x*x)*math.cos(13*x*y), 255*x*y)'
make in/c.pgm 64x64 '(i*37+j*101)*(i+3*j+7)%251'
make in/d.pgm 5x300 '(i*91+j*13)%256'
make in/deep/e.ppm 97x61 '(133+66*math.sin(9*x+3*y)+46*math.cos(23*x*y+5*y*y), 125+85*math.sin(7*y-11*x*x)*math.cos(13*x*y), 240*x*y+9)'
make in/f.pgm 9x9 '128+100*math.sin(9*x*x+5*y)+20*y'
make in/g.pgm 64x64 '(i*37+j*101)*(i+3*j+7)%251'
gpuimg duplicates -q -r in - --table
echo "- groups"
gpuimg duplicates -q -r in
gpuimg duplicates -q -r in groups.csv && cat groups.csv
gpuimg duplicates -q -r --json in
gpuimg duplicates -q --distance 0 -r in - --format csv
for jobs in 1 3; do gpuimg duplicates -q -j $jobs -r in - --format csv | cmp - groups.csv; done
for hash in dhash ahash; do gpuimg duplicates -q -r --hash $hash in | tail -n 1; done
gpuimg duplicates -q in/c.pgm in/g.pgm in/f.pgm
gpuimg duplicates -q in/c.pgm
echo "- of 16 bits, and with alpha, which is left out"
gpuimg convert -q --depth 16 in/a.ppm deep.png
printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\1\1\1\0\377\377\377\0' >clear.pam
printf 'P5\n2 1\n255\n\1\377' >opaque.pgm
gpuimg duplicates -q --distance 0 in/a.ppm deep.png clear.pam opaque.pgm
echo "- several names of one file are one image"
ln in/c.pgm linked.pgm && gpuimg duplicates in/c.pgm linked.pgm in/f.pgm 2>&1 | sed 's/ in [0-9].*//'
echo "- continued"
gpuimg duplicates -q in some.csv --manifest m.jsonl
gpuimg duplicates -r in groups2.csv --manifest m.jsonl --resume m.jsonl 2>&1 | sed 's/ in [0-9].*//'
cmp groups2.csv groups.csv
echo "- continued with another distance, for which no image is read again"
gpuimg duplicates -r in groups3.csv --distance 0 --manifest m.jsonl --resume m.jsonl 2>&1 | sed 's/ in [0-9].*//'
gpuimg duplicates -q -r in - --format csv --distance 0 | cmp - groups3.csv
echo "- and with another hash, for which each is"
gpuimg duplicates -r in groups4.csv --hash dhash --manifest n.jsonl --resume m.jsonl 2>&1 | sed 's/ in [0-9].*//'
rm groups3.csv groups4.csv
sed -i 's/"result": "97,61/"result": "97/' m.jsonl
expect 3 gpuimg duplicates -q -r in groups3.csv --manifest m.jsonl --resume m.jsonl
echo "- an archive, a chain, a damaged file"
tar cf in.tar --sort=name in && gpuimg duplicates -q in.tar - --format csv | sort | cmp - <(sort groups.csv)
gpuimg flip horizontal -q in/c.pgm in/f.pgm in/g.pgm - --then duplicates --distance 0 --json
printf 'P6\n9 9\n255\n' >in/cut.ppm
expect 1 gpuimg duplicates -q -r in groups4.csv
cmp groups4.csv groups.csv
echo "- the last name is OUT, whatever it is called, unless it is an image, an archive or a folder"
rm in/cut.ppm
gpuimg duplicates -q -r --format csv in groups && cmp groups groups.csv
expect 4 gpuimg duplicates -q -r --format csv in groups
gpuimg duplicates -q -r --format csv --force in groups && cmp groups groups.csv
cp in/c.pgm image && gpuimg duplicates -q in/g.pgm image
cp in.tar archive && gpuimg duplicates -q --tar --format csv archive | sort | cmp - <(sort groups.csv)
cmp in.tar archive
echo "- rejections"
expect 2 gpuimg duplicates in groups.png
expect 2 gpuimg duplicates --distance 17 in
expect 2 gpuimg duplicates --hash whash in
expect 4 gpuimg duplicates -q -r in groups.csv
gpuimg duplicates -q --table in/c.pgm
gpuimg duplicates --table in/c.pgm new.txt 2>&1 | grep note
