for kind in gray graya rgb rgba; do
  make_image png in.png 61x47 $kind
  gpuimg equalize --strength 0 -q --force in.png plain.png
  for name in hsl.png hsl.npy; do
    gpuimg hsl -q --force in.png $name
    gpuimg hsl -q --force --inverse $name back.png
    [ $kind = rgb ] && { cmp plain.png back.png || echo $kind $name; }
  done
  gpuimg hsl -q --force --hue 0 --saturation 1 --lightness 1 in.png same.png && cmp plain.png same.png
  gpuimg hsl -q --force --hue 360 in.png same.png && cmp plain.png same.png
done
ls
