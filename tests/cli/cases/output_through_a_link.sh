make_image png in.png 9x9
echo old >real.png
ln -s real.png link.png
gpuimg equalize --force in.png link.png
gpuimg equalize in.png expected.png
cmp real.png expected.png
readlink link.png
