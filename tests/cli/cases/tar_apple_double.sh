# As in folders, hidden files in an archive, such as macOS's ._photo.png, do not count as images and are copied
# unchanged.
gpuimg version | grep -q 'libarchive [0-9]' || { echo "built without libarchive"; exit 77; }
mkdir -p in/deep in/__MACOSX/deep
make_image png in/a.png 9x7
cp in/a.png in/deep/b.png
printf '\0\5\26\7\0\2\0\0Mac OS X        \0\0' | tee in/._a.png in/deep/._b.png >in/__MACOSX/deep/._b.png
printf 'no image' >in/.hidden.jpg
tar -C in -cf in.tar ._a.png a.png deep/._b.png deep/b.png __MACOSX/deep/._b.png .hidden.jpg
gpuimg equalize in.tar out.tar 2>&1 | sed 's/ in .*//'
tar tf out.tar && mkdir out && tar -C out -xf out.tar && cmp in/._a.png out/._a.png
gpuimg equalize -q in/a.png - | cmp - out/a.png
gpuimg hist in.tar stats.csv --table 2>&1 | sed 's/ in .*//' && cut -d, -f 1 stats.csv
echo "- as in a folder"
gpuimg equalize -r in folder/ 2>&1 | sed 's/ in .*//' && find folder -type f | sort
echo "- a name for what it is"
expect 3 gpuimg info in/._a.png
