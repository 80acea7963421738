# compare: exit code 0 for equal images and 7 for different ones; the printed numbers; a tolerance; other formats; wrong
# names.
printf 'P5\n4 2\n255\n\0\1\2\3\4\5\6\7' >a.pgm
printf 'P5\n4 2\n255\n\0\1\2\3\4\5\10\7' >b.pgm                           # 6 → 8 at 2,1
printf 'P6\n4 2\n255\n\0\0\0\1\1\1\2\2\2\3\3\3\4\4\4\5\5\5\6\6\6\7\7\7' >rgb.ppm
printf 'P5\n4 2\n65535\n\0\0\1\1\2\2\3\3\4\4\5\5\6\6\7\7' >deep.pgm       # v · 257
printf 'P5\n2 4\n255\n\0\1\2\3\4\5\6\7' >turned.pgm
gpuimg compare a.pgm a.pgm
expect 7 gpuimg compare a.pgm b.pgm
expect 7 gpuimg compare --tolerance 1 a.pgm b.pgm
expect 0 gpuimg compare --tolerance 2 a.pgm b.pgm
echo "- other formats of the same pixels"
gpuimg compare a.pgm rgb.ppm
gpuimg compare deep.pgm a.pgm
gpuimg compare - a.pgm <rgb.ppm
expect 7 gpuimg compare a.pgm turned.pgm
echo "- nothing is printed"
expect 7 gpuimg compare -q a.pgm b.pgm
echo "- JSON"
expect 7 gpuimg compare --json a.pgm b.pgm
echo "- rejections"
mkdir folder
expect 2 gpuimg compare a.pgm
expect 2 gpuimg compare - - <a.pgm
expect 2 gpuimg compare a.pgm folder
expect 2 gpuimg compare a.pgm b.pgm --tolerance -1
expect 3 gpuimg compare a.pgm nowhere.pgm
expect 2 gpuimg compair a.pgm b.pgm
