# JPEG files with other extensions (.jfif, .jpe …) are accepted as inputs and outputs: in folders, in place, by --format
# and as OUT.
make_image jpeg photo.jpg 32x16 color
gpuimg equalize photo.jpg expected.jpg
mkdir photos
for extension in jpe jfif jfi jif pjpeg pjp JFIF; do
  cp photo.jpg "photos/$extension.$extension"
  gpuimg equalize photo.jpg "out.$extension" && cmp "out.$extension" expected.jpg
done
gpuimg equalize -q photos out/ && ls out
for file in out/*; do cmp "$file" expected.jpg; done
gpuimg equalize -q photos named/ --format jfif && ls named | head -2
gpuimg equalize -q photos/jfif.jfif --in-place && cmp photos/jfif.jfif expected.jpg
gpuimg equalize photo.jpg - --format jfif | cmp - expected.jpg
gpuimg equalize photo.jpg misleading.png --format jfif
gpuimg info misleading.png | grep -o JPEG
echo "- a bitmap"
gpuimg equalize photo.jpg out.dib && gpuimg equalize photo.jpg out.bmp && cmp out.dib out.bmp
expect 2 gpuimg equalize photo.jpg out.jf
