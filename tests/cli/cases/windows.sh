# Outputs of the window operations: types, sizes and depths; one bit per pixel if the format has it.
make_image png in.png 20x9 rgba 16
gpuimg integral -q --mean 5 in.png mean.png && gpuimg integral -q --mean 5 --background white --depth 8 in.png mean.jpg
gpuimg integral -q --variance 3 in.png v.npy && gpuimg integral -q --deviation 3 --channel a in.png d.png
gpuimg denoise -q --patch 3 --search 5 in.png clean.png && gpuimg denoise -q --filter-strength 0 in.png same.png
gpuimg compare in.png same.png | head -1
for out in t.png t.pnm t.bmp t.jpg; do gpuimg threshold -q --method bradley in.png $out; done
gpuimg threshold -q --method bradley --depth 8 in.png t8.png
for out in t.pnm t.bmp t8.png; do gpuimg compare -q t.png $out >same.txt || cat same.txt; done
for file in *.png *.jpg *.pnm; do
  gpuimg info --json $file | grep -o '"\(width\|height\|color\|bit_depth\)": *[^,}]*' | tr -d '\n' | sed "s/^/$file: /"
  echo
done
head -c 8 t.pnm | head -1
mkdir photos && cp in.png photos/a.png && gpuimg threshold -q photos/ pages/ && gpuimg denoise -q photos/ clean/ &&
  gpuimg integral -q --mean 3 photos/ means/ && gpuimg integral -q --variance 3 photos/ variances/
ls pages clean means variances
