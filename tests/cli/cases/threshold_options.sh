# threshold: prints its thresholds; a given level or percentage; inverted; classes; background removal; windows with two
# sides; Sauvola's R.
printf 'P5\n4 2\n255\n\012\024\144\310\012\024\144\310' >a.pgm   # 10 20 100 200, twice
printf 'P5\n2 1\n65535\n\077\377\200\0' >deep.pgm                 # 16383 32768
printf 'P5\n4 2\n255\n\377\377\377\0\377\377\377\0' >mask.pgm
bits() { gpuimg threshold -q --depth 8 "$@" - --format pnm | tail -c 8 | od -An -v -tu1; }
echo "- otsu"
bits a.pgm
bits --invert a.pgm
bits --roi 0,0,2,2 a.pgm
bits --mask mask.pgm a.pgm
echo "- given"
bits --value 10 a.pgm
bits --value 50% a.pgm
gpuimg threshold --value 50% --json deep.pgm x.png
gpuimg threshold -q --json a.pgm deep.pgm out/
gpuimg threshold --json --force a.pgm - --format pnm 2>&1 >/dev/null
gpuimg threshold -v -f a.pgm x.png 2>&1 | grep threshold
gpuimg threshold -q -f a.pgm deep.pgm out/ --manifest run.jsonl && grep -o '"result": *"[^"]*"' run.jsonl
echo "- classes"
bits --classes 3 a.pgm
bits --classes 3 --invert a.pgm
bits --classes 16 a.pgm
gpuimg threshold -q --classes 3 --json -f a.pgm x.png
gpuimg threshold -v -f --classes 4 a.pgm x.png 2>&1 | grep threshold
gpuimg threshold -q -f --classes 3 a.pgm x.jpg --manifest gray.jsonl && grep -o '"result": *"[^"]*"' gray.jsonl
gpuimg info x.png | grep -o 'gray, 8 bits\|8-bit gray' | head -1
echo "- flat"
bits --flatten 3x1 a.pgm
bits --flatten 3x1 --classes 3 a.pgm
gpuimg integral -q --mean 3x1 --border cut a.pgm - --format pnm | tail -c 8 | od -An -v -tu1
gpuimg equalize -q --strength 0 a.pgm b.pgm --then threshold --flatten 3x1 --depth 8
tail -c 8 b.pgm | od -An -v -tu1
echo "- windows"
bits --method mean --window 3x1 --offset 0 a.pgm
bits --method mean --window 1x3 --offset 0 a.pgm
bits --method mean --window 3x1 a.pgm
bits --method sauvola --window 3 --r 5 a.pgm
gpuimg integral --mean 3x1 --border cut a.pgm - --format pnm | tail -c 8 | od -An -v -tu1
echo "- rejections"
for value in -1 256.5 x 101% 70000; do expect 2 gpuimg threshold --value=$value a.pgm y.png; done
expect 2 gpuimg threshold --value 256 a.pgm y.png
expect 2 gpuimg threshold --method mean --value 5 a.pgm y.png
expect 2 gpuimg threshold --method mean --r 5 a.pgm y.png
expect 2 gpuimg threshold --method sauvola --r 0 a.pgm y.png
expect 2 gpuimg threshold --method nick --r 5 a.pgm y.png
expect 2 gpuimg threshold --method wolf --classes 3 a.pgm y.png
expect 2 gpuimg threshold --classes 3 --format pbm a.pgm y
expect 2 gpuimg threshold --classes 4 --compression g4 a.pgm y.tif
for classes in 1 17 x; do expect 2 gpuimg threshold --classes $classes a.pgm y.png; done
expect 2 gpuimg threshold --classes 3 --value 5 a.pgm y.png
expect 2 gpuimg threshold --classes 3 --depth 1 a.pgm y.png
expect 2 gpuimg threshold --classes 3 a.pgm y.pbm
for window in 2 3x 9; do expect 2 gpuimg threshold --flatten $window a.pgm y.png; done
for window in 3x 3x2 x3 3x3x3; do expect 2 gpuimg integral --mean $window a.pgm y.png; done
expect 2 gpuimg threshold --method mean --window 3x9 a.pgm y.png
test ! -e y.png
