# --files-from with line breaks and with NUL, from a file and from standard input; {fields} in output names; paths with
# ".." stay below OUT.
mkdir -p photos/day
make_image png photos/a.png 8x8
cp photos/a.png photos/day/b.png
cp photos/a.png $'photos/new\nline.png'
printf '%s\n' photos/a.png photos/day/b.png photos/missing.png >list.txt
expect 1 gpuimg equalize --files-from list.txt out/ 2>&1 | sed 's/ in [0-9.]* s.*//'
find photos -name 'new*' -print0 | gpuimg equalize -q --null --files-from - nul/
printf '../%s/photos/a.png\0%s/photos/day/b.png' "$(basename "$PWD")" "$PWD" | (cd photos && gpuimg equalize -q -0 --files-from - ../climb/) 2>&1 |
  grep -c 'file does not exist'
find out nul climb -type f | sed "s,${PWD#/},HERE,; s,$(basename "$PWD"),HERE," | LC_ALL=C sort
gpuimg equalize -q -r photos --include 'a*' --include '*b.png' --output '{dir}/{stem}_eq.{ext}'
gpuimg hist -q -r photos --exclude '*_eq.png' --exclude 'new*' --output 'csv/{rel}/{index}-{name}.csv'
find photos csv -name '*_eq*' -o -name '*.csv' | LC_ALL=C sort
expect 2 gpuimg equalize photos --output '{dir}/{stm}.png'
expect 2 gpuimg equalize photos --output '{dir'
