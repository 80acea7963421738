make_image png in.png 9x9
for name in out.png out.npy out.csv out_s.png lut.csv; do echo old >$name; done
expect 4 gpuimg equalize in.png out.png
expect 4 gpuimg equalize --lut lut.csv in.png new.png
expect 4 gpuimg integral in.png out.npy
expect 4 gpuimg hist in.png out.csv
expect 4 gpuimg hsl in.png out.png
expect 4 gpuimg hsl --planes in.png out.png
sha256sum --quiet -c - <<<"$(for name in out.png out.npy out.csv out_s.png lut.csv; do
  echo "$(echo old | sha256sum | cut -d' ' -f1)  $name"
done)" && ls && exit 4
