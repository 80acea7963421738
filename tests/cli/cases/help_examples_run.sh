make_image png in.png 700x500
for name in in.jpg photo.jpg; do gpuimg equalize in.png $name; done
cp in.png scan.png
gpuimg threshold in.png fax.png
mkdir photos faxes scans
cp fax.png faxes/
cp scan.png scans/
cp in.png photo.jpg photos/
gpuimg hsl in.png hsl.png
steps=$(gpuimg equalize a b --then 2>&1 | sed 's/.* of a step: //; s/;.*//; s/,//g; s/ or / /')
for name in $steps; do
  gpuimg $name --help | sed -n '/^Examples:/,$p' | grep "^  gpuimg $name " | sed 's/^ *//; s/   .*//; s/ adjusted, .*//' >examples.txt
  while read -r line; do
    expect 0 $line --quiet </dev/null >/dev/null || echo "$line"
  done <examples.txt
done
