# deskew: pages whose lines fall or rise, in gray and in color. An image without lines stays unchanged, with a note.
page() { # page NAME SLOPE: lines of dashes; each falls by SLOPE pixels in a thousand
  awk -v slope="$2" 'BEGIN { print "P2\n400 240\n255"; for (y = 0; y < 240; ++y) for (x = 0; x < 400; ++x) {
    at = (y - (x - 200) * slope / 1000 - 30 + 4000) % 24
    inside = y > 30 && y < 210 && x > 40 && x < 360 && x % 13 < 9
    print inside && at < 7 ? 20 : 235 } }' >"$1"
}
page falling.pgm 52.4078 # 3 degrees
page rising.pgm -78.7017 # -4.5 degrees
page level.pgm 0
gpuimg deskew -v --backend cpu falling.pgm falling.png 2>&1 | grep angle
for name in falling rising level; do gpuimg deskew -q --json -f $name.pgm $name.png; gpuimg deskew -q --json $name.png again.$name.png; done
gpuimg compare level.pgm level.png
# The same page, mostly in a shadow that is darker than the ink elsewhere.
awk 'NR < 4 { print; next } { i = NR - 4; x = i % 400; light = x < 150 ? 25 : x > 300 ? 100 : x / 2 - 50
  print int(($1 > 100 ? $1 : x % 4 < 2 ? 110 : 235) * light / 100) }' falling.pgm >shadow.pgm
gpuimg deskew -q --json shadow.pgm shadow.png
# Several images: the manifest holds the angles; a blank page has no angle.
mkdir in && cp falling.pgm rising.pgm in/ && printf 'P5\n2 1\n255\nab' >in/two.pgm && printf 'P5\n1 1\n255\na' >in/one.pgm
gpuimg deskew --manifest run.jsonl in/ out/ --format pgm 2>notes.txt; grep -o '"result": "[^"]*"' run.jsonl | sort; grep "not rotated" notes.txt | sort
gpuimg compare in/one.pgm out/one.pgm && gpuimg compare in/two.pgm out/two.pgm
# The color of the new corners, with 16 bits and with alpha.
gpuimg convert -q rising.pgm deep.png --depth 16
for color in white 10,200,30; do gpuimg deskew -q -f --fill $color deep.png deep.pgm && tail -c 2 deep.pgm | od -An -tx1; done
# In one command and in two; OpenCL lacks this step.
gpuimg deskew -q falling.pgm straight.pgm && gpuimg threshold -q straight.pgm two.png && gpuimg deskew -q falling.pgm one.png --then threshold
cmp one.png two.png
gpuimg deskew -q --json rising.pgm - --then convert >/dev/null
gpuimg flip -q --json horizontal rising.pgm flipped.png --then deskew
gpuimg deskew -q --json falling.pgm - 2>json.txt | cmp - falling.png; cat json.txt
expect 2 gpuimg deskew --fill paper falling.pgm x.png
expect 2 gpuimg deskew --backend opencl falling.pgm x.png
expect 2 gpuimg straighten falling.pgm x.png
[ ! -e x.png ]
