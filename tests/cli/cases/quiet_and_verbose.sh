make_image png in.png 30x20
gpuimg equalize -q in.png a.png
gpuimg equalize in.png b.png
echo '--- verbose' >&2
gpuimg equalize -v --backend cpu in.png c.png
