# despeckle: black and white images with one bit per pixel, as input and output; alone and after threshold. Other images
# are rejected.
printf 'P1\n6 4\n1 0 0 0 0 0\n0 0 0 1 1 0\n0 0 0 1 1 0\n0 1 0 0 0 1\n' >page.pbm
shown() { gpuimg convert -fq "$1" plain.pgm && tail -c 24 plain.pgm | od -An -v -tu1 -w6 | sed 's/ 255/./g; s/ *0/#/g'; }
gpuimg despeckle --size 1 page.pbm one.pbm && head -c 2 one.pbm && echo && shown one.pbm
gpuimg despeckle --size 5 page.pbm five.pbm && shown five.pbm
gpuimg despeckle --size 18 --color white page.pbm white.png && shown white.png
gpuimg despeckle --size 4 --color both page.pbm both.tif && shown both.tif
gpuimg despeckle --depth 8 page.pbm gray.png && gpuimg compare gray.png both.tif
gpuimg info gray.png white.png
# After threshold, in one command and in two.
make_image png scan.png 90x60 rgb
gpuimg threshold scan.png black.png && gpuimg despeckle black.png two.png && gpuimg threshold scan.png chain.png --then despeckle
cmp two.png chain.png
gpuimg despeckle page.pbm again.png --then threshold && gpuimg compare again.png both.tif
# A folder with one image that cannot be despeckled; only that image fails.
mkdir in && cp page.pbm black.png in/ && cp scan.png in/color.png && expect 1 gpuimg despeckle -q in/ out/ && ls out
expect 3 gpuimg despeckle scan.png x.png
expect 3 gpuimg despeckle gray.png x.png --then resize --size 50% --then despeckle
expect 2 gpuimg despeckle --size 0 page.pbm x.png
expect 2 gpuimg despeckle --size 1000001 page.pbm x.png
expect 2 gpuimg despeckle --color red page.pbm x.png
expect 2 gpuimg despeckle --depth 16 page.pbm x.png
expect 2 gpuimg despeckle --backend opencl page.pbm x.png
[ ! -e x.png ]
