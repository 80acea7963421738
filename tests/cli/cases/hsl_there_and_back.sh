for kind in gray graya rgb rgba; do
  make_image png in.png 61x47 $kind
  gpuimg equalize --strength 0 --force in.png plain.png
  for name in hsl.png hsl.npy; do
    gpuimg hsl --force in.png $name
    gpuimg hsl --force --inverse $name back.png
    [ $kind = rgb ] && { cmp plain.png back.png || echo $kind $name; }
  done
  gpuimg hsl --force --hue 0 --saturation 1 --lightness 1 in.png same.png && cmp plain.png same.png
  gpuimg hsl --force --hue 360 in.png same.png && cmp plain.png same.png
done
ls
