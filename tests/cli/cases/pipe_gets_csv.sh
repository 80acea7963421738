make_image flat in.png 2x3 1
gpuimg hist --bins 4 in.png | cat
gpuimg hist --bins 4 --cumulative in.png
gpuimg hist --bins 4 --normalize in.png
gpuimg hist --chart --bins 4 in.png | head -1 | grep -c $'\e'
exit 0
