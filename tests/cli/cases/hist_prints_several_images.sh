# hist of several images without OUT prints each image as hist of that image alone does. If the last name is an image,
# it is an input.
make_image png a.png 6x5 rgb 8 1
make_image png b.png 6x5 rgb 8 2
make_image ppm c.ppm 6x5 3
cp a.png a.tif && cp b.png b.tif
mkdir in && cp a.png in/1.png && cp b.png in/2.png
sha256sum *.* in/* >../before
each() {  # each 'OPTIONS' NAMES…: all names in one command, and one after another
  local options=$1 name
  shift
  for name; do gpuimg hist $options $name; done >../expected
  gpuimg hist -q $options "$@" >../found || echo "exit $? of $options"
  cmp ../expected ../found && echo "$options: $# images, $(wc -l <../found) lines"
}
each '' a.png b.png
each --chart a.tif b.tif
each '--chart --force' a.tif b.tif
each '--chart --force --in-place' a.png b.png c.ppm
each '--format csv --force' a.png b.png
each '--json --channel rgb' a.png b.png c.ppm
gpuimg hist -q in | cmp - <(gpuimg hist -q in/1.png in/2.png) && gpuimg hist -q -j 1 in/1.png in/2.png | cmp - <(gpuimg hist -q -j 4 in)
printf 'in/1.png\nin/2.png\n' | gpuimg hist -q --files-from - | cmp - <(gpuimg hist -q in)
gpuimg hist -q a.png - <b.png | head -1
echo "- one result for all images"
for options in '--overlay --chart' '--merge --chart' '--table --format csv' '--merge --format json --force' '--overlay --force'; do
  gpuimg hist -q $options a.tif b.tif >../found && gpuimg hist -q $options a.tif b.tif -o - | cmp - ../found && echo "$options"
done
gpuimg hist a.png sum.json && gpuimg hist -q --merge --chart --force b.png sum.json | grep -o '2 images'
gpuimg hist -q --merge --force b.png sum.json && gpuimg hist -q sum.json --merge --json | grep -o '"images": 1'
echo "- the last name is OUT"
gpuimg hist a.png counts.csv && gpuimg hist -q a.png b.png folder/ && ls folder && rm -r folder counts.csv sum.json
expect 2 gpuimg hist a.png new.tif
expect 2 gpuimg hist --chart a.png new.tif
expect 2 gpuimg hist a.png b.png new.csv
expect 2 gpuimg hist a.png b.png -
echo "- several plots cannot share an output"
expect 2 gpuimg hist --format svg a.png b.png
gpuimg hist --format svg a.png | head -c 4 && echo
echo "- a bad image, and a check"
head -c 60 a.png >cut.png
expect 1 gpuimg hist -q a.png cut.png b.png | cmp - <(gpuimg hist -q a.png b.png)
rm cut.png
expect 1 gpuimg hist -q --fail-if 'max>10' a.png b.png
expect 2 gpuimg hist a.png b.png --resume run.jsonl
sha256sum -c --quiet ../before
