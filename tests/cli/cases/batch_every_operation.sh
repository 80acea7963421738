# All four operations accept folders. The outputs are the same as for single files.
mkdir in
make_image png in/a.png 12x9
make_image png in/b.png 9x12 rgba 16
gpuimg hist -q in h/ && gpuimg hist -q --output-format json in h/ && gpuimg hist -q --format svg in h/
gpuimg integral -q in i/ && gpuimg integral -q --output-format csv in i/
gpuimg hsl -q in l/ && gpuimg hsl -q --encode u16 in l/ && gpuimg hsl -q --planes in p/
gpuimg hsl -q --inverse l b/ --include '*.png' && gpuimg hsl -q --hue 20 in v/
ls h i l p b v
gpuimg hist in/a.png one.csv && cmp one.csv h/a.csv
gpuimg integral in/b.png one.npy && cmp one.npy i/b.npy
gpuimg hsl --planes in/b.png two.npy && cmp two_s.npy p/b_s.npy
gpuimg hsl --hue 20 in/b.png one.png && cmp one.png v/b.png
gpuimg equalize -q --timing --json in e/ 2>&1 | grep -o '"[a-z]*_ms"' | tr '\n' ' '
