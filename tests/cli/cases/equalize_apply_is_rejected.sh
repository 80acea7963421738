# Options that --apply excludes, and files that are not tables. The message says what to do, or which line is wrong.
make_image png rgb.png 9x9 rgb 8
make_image png gray.png 9x9 gray 8
make_image png deep.png 9x9 gray 16
gpuimg equalize -q --color rgb --lut three.csv rgb.png x.png
gpuimg equalize -q -f --lut one.csv rgb.png x.png
apply() { expect "$1" gpuimg equalize --apply "${@:2}" y.png; }

apply 2 one.csv --formula cdf rgb.png
apply 2 one.csv --reference one.json rgb.png
apply 2 one.csv --lut more.csv rgb.png
apply 2 one.csv --roi 0,0,2,2 rgb.png
apply 2 one.csv --transparent count rgb.png
apply 2 one.csv --color rgb rgb.png
apply 2 three.csv --color hsl rgb.png
apply 2 three.csv gray.png
apply 2 one.csv deep.png
apply 3 missing.csv rgb.png
apply 3 rgb.png rgb.png

broken() { sed "$1" one.csv >broken.csv; apply 3 broken.csv rgb.png; }
: >broken.csv; apply 3 broken.csv rgb.png
broken '1s/luma/r/'
broken '5s/$/,1/'
broken '5s/,.*//'
broken '5s/,/, /'
broken '5s/,.*/,-1/'
broken '5s/,.*/,65536/'
broken '5s/,.*/,256/'
broken '5d'
broken '256p'
broken '$d'
broken '$s/$/\n/'
[ ! -e y.png ]
