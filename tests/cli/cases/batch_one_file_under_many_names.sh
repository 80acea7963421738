# A file named in several ways is one input, however its folder is written. --merge counts a file with several links
# only once, so that its pixels are added once; other operations write an output for each link.
mkdir -p x/sub y
make_image png x/a.png 4x3
make_image png x/b.png 4x3
ln -s "$PWD/x" linked
ln -s a.png x/soft.png
ln x/a.png x/hard.png
cp x/a.png y/copy.png
pixels() { gpuimg hist --merge --format json -o - "$@" 2>&1 | grep -E '"(images|counted)"|note'; }
echo "- one file"
pixels x/a.png ./x/a.png "$PWD/x/a.png" x/../x/a.png x/sub/../a.png linked/a.png
echo "- links"
pixels x/a.png x/soft.png x/hard.png
pixels -q -r x
echo "- a copy is another file"
pixels x/a.png y/copy.png
echo "- outputs of their own"
gpuimg equalize -q "$PWD/x/a.png" x/a.png x/../x/a.png linked/a.png x/soft.png x/hard.png out/
ls out
gpuimg equalize -q x linked out2/
ls out2
gpuimg hist -q --table x/a.png "$PWD/x/a.png" x/hard.png - | cut -d, -f 1,2
printf '%s\n' x/a.png ./x//a.png x/../x/a.png missing/a.png missing/./a.png |
  expect 1 gpuimg hist -q --table --files-from - - 2>&1 | cut -d, -f 1
