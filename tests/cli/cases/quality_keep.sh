# --quality keep encodes like the input: the bytes equal those of an explicit quality and subsampling.
make_image png in.png 47x33
make_image png gray.png 47x33 gray
for from in in gray; do
  for quality in 35 75 95; do
    for chroma in 444 422 440 420; do
      gpuimg equalize --force -q --quality $quality --subsampling $chroma $from.png a.jpg
      gpuimg equalize --force -q --quality keep a.jpg kept.jpg
      gpuimg equalize --force -q --quality $quality --subsampling $chroma a.jpg named.jpg
      cmp kept.jpg named.jpg || echo $from $quality $chroma
      gpuimg hsl --hue 20 --force -q --quality keep a.jpg kept.jpg
      gpuimg hsl --hue 20 --force -q --quality $quality --subsampling $chroma a.jpg named.jpg
      cmp kept.jpg named.jpg || echo hsl $from $quality $chroma
    done
  done
done
gpuimg equalize --force -q --quality 35 --subsampling 420 in.png a.jpg
gpuimg equalize --force -q --quality keep --subsampling 444 a.jpg kept.jpg
gpuimg equalize --force -q --quality 35 --subsampling 444 a.jpg named.jpg
cmp kept.jpg named.jpg
# An input without a JPEG quality gets the default, with a note. The option does not affect outputs other than JPEG.
gpuimg equalize --quality keep in.png out.jpg
gpuimg equalize in.png plain.jpg && cmp out.jpg plain.jpg
gpuimg equalize --quality keep a.jpg out.png
mkdir folder && cp a.jpg in.png folder
gpuimg equalize -q --quality keep folder out/ && ls out
gpuimg equalize --quality 35 a.jpg b.jpg && cmp out/a.jpg b.jpg
expect 2 gpuimg equalize --quality kept in.png no.jpg
expect 2 gpuimg equalize --quality 50x in.png no.jpg
expect 2 gpuimg hsl --inverse --quality keep in.png no.jpg
