make_image png in.png 9x9
cp in.png before.png
mkdir folder
ln -s in.png link.png
ln in.png hard.png
for name in in.png ./in.png folder/../in.png "$PWD/in.png" link.png hard.png; do
  expect 4 gpuimg equalize --force in.png "$name" 2>&1 | sed "s|$PWD|FOLDER|"
done
expect 4 gpuimg equalize --force --lut in.png in.png out.png
expect 4 gpuimg hsl --force in.png in.png
expect 4 gpuimg hsl --force --hue 3 link.png in.png
cmp in.png before.png && ls && exit 4
