# Group 4 files with one and three pages: libtiff's tools read the same pixels, and their own files are at most 5
# percent smaller.
gpuimg --version | grep -q 'libtiff [0-9]' || { echo "this gpuimg cannot write TIFF"; exit 77; }
for tool in tiffcp tiffinfo tiff2rgba; do
  command -v $tool >/dev/null || { echo "$tool (Debian: libtiff-tools) is not installed"; exit 77; }
done
lines() { # lines WIDTH HEIGHT: rows of dashes that look like text
  awk -v w="$1" -v h="$2" 'BEGIN { print "P1\n" w, h; for (y = 0; y < h; ++y) for (x = 0; x < w; ++x)
    print (y % 20 < 9 && x % 11 < 3 + y % 4 && x * y % 7 < 6) + 0 }'
}
lines 203 151 >a.pbm && lines 1 1 >b.pbm && lines 640 77 >c.pbm
for name in a b c; do
  gpuimg convert -q --compression g4 $name.pbm $name.tif
  gpuimg threshold -q --value 128 --compression none $name.pbm plain_$name.tif
  tiffcp -c g4 plain_$name.tif theirs.tif && tiffcp -c none $name.tif back.tif && tiff2rgba $name.tif rgba.tif
  for read in back.tif rgba.tif; do gpuimg compare -q $name.pbm $read || echo "$name.pbm is not $read"; done
  [ $(($(stat -c %s $name.tif) * 20)) -le $(($(stat -c %s theirs.tif) * 21 + 1280)) ] || stat -c '%n %s' $name.tif theirs.tif
done
tiffcp plain_a.tif plain_b.tif plain_c.tif stack.tif
gpuimg convert -q --compression g4 --page all stack.tif fax.tif
tiffinfo fax.tif | grep -c 'CCITT Group 4'
tiffcp -c none fax.tif back.tif
for page in 1 2 3; do gpuimg convert -q -f --page $page back.tif page$page.png; done
gpuimg compare a.pbm page1.png; gpuimg compare b.pbm page2.png; gpuimg compare c.pbm page3.png
