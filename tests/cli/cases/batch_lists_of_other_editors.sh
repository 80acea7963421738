# In a list of files, a byte order mark and CR LF line ends are not part of the names; every other byte is.
mkdir in
make_image png in/a.png 9x9
cp in/a.png in/b.png
cp in/a.png $'in/c.png\r'
run() { gpuimg equalize -n --files-from - out/; }
printf '\xef\xbb\xbfin/a.png\nin/b.png\n' | run
printf 'in/a.png\r\n\r\nin/b.png\r\n' | run
printf '\xef\xbb\xbfin/a.png\r\nin/b.png' | run
printf 'in/a.png\nin/c.png\r\n' | run
printf 'in/a.png\r\n\0' | tr -d '\n' | gpuimg equalize -n -0 --files-from - out/
echo 'an empty list:'
for list in '' '\n\n' '\xef\xbb\xbf' '\r\n'; do printf "$list" | expect 3 gpuimg equalize --files-from - out/; done
printf '\0' | expect 3 gpuimg equalize -0 --files-from - out/
: >list.txt
expect 3 gpuimg equalize --files-from list.txt in/a.png out/
mkdir empty
expect 3 gpuimg equalize empty out/
ls
