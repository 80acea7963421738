# If reading scales the levels, a note and `info` say so. Black and white files get no note.
printf 'P5\n2 1\n4095\n\0\0\17\377' >twelve.pgm
printf 'P2\n2 1\n4095\n0 4095\n' >text.pgm
printf 'P5\n2 1\n15\n\0\17' >four.pgm
printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 1023\nTUPLTYPE RGB_ALPHA\nENDHDR\n\0\0\1\0\2\0\3\377' >ten.pam
printf 'P5\n2 1\n65535\n\0\0\377\377' >sixteen.pgm
printf 'P5\n2 1\n255\n\0\377' >eight.pgm
printf 'P2\n2 1\n1\n0 1\n' >one.pgm
printf 'P1\n2 1\n0 1\n' >bitmap.pbm
# A PNG with 4 bits; its zlib stream holds two stored bytes: a filter and a pair of levels.
printf '\211PNG\r\n\32\n\0\0\0\15IHDR\0\0\0\2\0\0\0\1\4\0\0\0\0\24\271\315\127' >four.png
printf '\0\0\0\15IDATx\1\1\2\0\375\377\0\17\0\21\0\20\210\205\247\330\0\0\0\0IEND\256\102\140\202' >>four.png
for file in *.p?m four.png; do
  gpuimg equalize --strength 0 $file out.pnm -f 2>&1 | grep -v replaced
  gpuimg info $file | grep '^decoded'
  gpuimg info --json $file | grep scaled_from
done
echo "- of a pipe, in bands, of several images, and not if quiet"
gpuimg hist - <twelve.pgm 2>&1 >/dev/null
gpuimg hist twelve.pgm 2>&1 >/dev/null
gpuimg hist --table twelve.pgm eight.pgm four.pgm - 2>&1 >/dev/null | grep note
gpuimg hist -q twelve.pgm 2>&1 >/dev/null
echo "- PNG is for display: only with -v"
gpuimg hist -v four.png 2>&1 >/dev/null | grep scaled
