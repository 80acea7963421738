# Text output never replaces an image or an input: every kind of text output, every way to name it, any options.
make_image png a.png 6x5 rgb 8 1
make_image png b.png 6x5 rgb 8 2
make_image ppm c.ppm 6x5 3
make_image tif d.tif 6x5
gpuimg hist a.png counts.json && gpuimg equalize a.png o.png --lut table.csv
cp a.png disguised.csv && cp a.png disguised.svg && cp c.ppm disguised.json && cp c.ppm disguised.jsonl
ln -s b.png link.csv && ln c.ppm hard.json && ln counts.json again.json
printf 'qoif junk' >foreign.csv && echo a.png >list.txt && : >empty.png
tar -cf images.tar b.png c.ppm && cp images.tar disguised.txt && gzip -c list.txt >packed.csv
mkdir out && cp a.png out/a.csv
sums() { find . -type f -exec sha256sum {} + | sort; }
sums >../before
rejected() {  # rejected CODE WORDS…: even with --force and --in-place, and nothing changes
  local code=$1 more
  shift
  for more in '' --force '--force --in-place'; do
    expect "$code" gpuimg "$@" $more >../said.out 2>../said.err
    [ $? -eq 0 ] || { echo "gpuimg $* $more"; cat ../said.err; }
  done
  sed 's/^gpuimg: error: //; /^gpuimg: note/d; / skipped in /d' ../said.err
}
echo "- an image, recognized by its content"
rejected 4 hist a.png -o disguised.csv
rejected 4 hist --chart a.png -o b.png
rejected 4 hist --overlay --chart a.png c.ppm -o disguised.svg
rejected 4 hist --merge a.png c.ppm -o disguised.json
rejected 4 hist --table a.png c.ppm -o disguised.jsonl
rejected 4 hist a.png -o link.csv
rejected 4 hist a.png -o foreign.csv
rejected 4 hist --format csv a.png -o images.tar
rejected 4 hist --chart a.png -o disguised.txt
rejected 4 hist a.png -o packed.csv
rejected 4 integral a.png -o disguised.csv
rejected 4 integral --format csv a.png -o b.png
rejected 4 equalize a.png -o new.png --lut disguised.csv
rejected 4 hist -q a.png out/
rejected 4 hist -q a.png c.ppm -o 'out/{stem}.csv'
rejected 4 equalize -q a.png c.ppm -o new/ --manifest disguised.jsonl
rejected 4 bench --size 8 --svg disguised.svg
expect 4 gpuimg hist --table --force images.tar -o disguised.csv
expect 4 gpuimg equalize --force images.tar images.tar
echo "- an input"
rejected 4 hist --format csv a.png -o a.png
rejected 4 hist --merge c.ppm counts.json -o again.json
rejected 4 hist --format json c.ppm -o hard.json
rejected 4 hist a.png --mask disguised.json -o disguised.json
rejected 4 integral --format csv a.png -o a.png
rejected 4 equalize a.png -o new.png --reference counts.json --lut again.json
rejected 4 equalize a.png -o new.png --match counts.json --lut counts.json
rejected 4 equalize -q a.png c.ppm -o new/ --apply table.csv --manifest table.csv
rejected 4 hist --format csv --files-from list.txt -o list.txt --table
rejected 4 hist -q --format csv a.png c.ppm -o '{dir}/{name}'
echo "- a name that is an image's"
rejected 2 hist --chart a.png -o new.png
rejected 2 hist --format csv a.png new.TIFF
rejected 2 hist --format csv a.png -o empty.png
rejected 2 hist --merge --format json a.png c.ppm new.jxl
rejected 2 integral --format csv a.png -o new.npy
rejected 2 equalize a.png -o new.png --lut table.png
rejected 2 bench --size 8 --svg times.png
rejected 2 equalize -q a.png c.ppm -o new/ --manifest run.png
rejected 2 hist -q --format svg a.png c.ppm -o 'new/{stem}.png'
sums | diff ../before - && ls
echo "- text is replaced, also under a name with another extension"
gpuimg hist -q b.png counts.json --force && gpuimg hist -q --chart b.png table.csv --force && grep -c '│' table.csv
