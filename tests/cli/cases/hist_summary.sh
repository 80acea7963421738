# hist --summary: mean and deviation of each channel, for one image and for a sum, in lines that Python can parse.
printf 'P6\n2 1\n255\n\0\12\377\0\24\377' >a.ppm
printf 'P6\n1 2\n255\n\0\12\0\0\24\377' >b.ppm
printf 'P5\n2 1\n65535\n\0\0\200\0' >deep.pgm
gpuimg hist a.ppm --summary --channel rgb
gpuimg hist deep.pgm --summary
mkdir in && cp a.ppm b.ppm in
echo "- a sum"
gpuimg hist -q --merge --channel rgb --summary in -o -
gpuimg hist -q --merge --channel rgb --format summary in sum.txt && cat sum.txt
echo "- each image of a folder"
gpuimg hist -q --summary in
gpuimg hist -q --summary --channel s a.ppm
echo "- nothing is counted"
printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\1\2\3\0' >clear.pam
gpuimg hist --summary clear.pam
gpuimg hist --summary a.ppm --channel rgb | python3 -c 'exec(__import__("sys").stdin.read()); print(round(mean[1], 4), std_levels)'
echo "- rejections"
expect 2 gpuimg hist --summary --chart a.ppm
expect 2 gpuimg hist --summary --channel h a.ppm
expect 2 gpuimg hist --summary --json a.ppm
expect 2 gpuimg hist --summary --table a.ppm out.csv
