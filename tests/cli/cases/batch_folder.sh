# A tree with names of every kind and one broken file: the valid images are processed, the broken file is named, and the
# exit code is 1.
mkdir -p in/below/deeper
make_image png in/a.png 30x20
make_image png 'in/below/with space.png' 20x30
make_image gif in/below/c.gif 9x9
cp in/a.png $'in/below/deeper/new\nline.png'
cp in/a.png in/below/deeper/naïve☕.PNG
cp in/a.png $'in/\xff\xfe.png'
make_image cut in/a.png in/broken.png 300
echo text >in/notes.txt
touch in/.hidden.png
gpuimg equalize in -r out 2>&1 | sed 's/ in [0-9.]* s (.*/ in T/'
[ "${PIPESTATUS[0]}" -eq 1 ] || echo 'no exit code 1'
(cd out && LC_ALL=C find . -type f | cat -v | LC_ALL=C sort)
for name in a.png 'below/with space.png' $'below/deeper/new\nline.png' $'\xff\xfe.png'; do
  gpuimg equalize -- "in/$name" - | cmp - "out/$name"
done
