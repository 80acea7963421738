make_image png in.png 9x9
echo old >out.png
chmod 640 out.png
gpuimg equalize --force in.png out.png
gpuimg equalize in.png fresh.png
cmp out.png fresh.png && stat -c %a out.png
gpuimg equalize -f in.png out.png && ls
