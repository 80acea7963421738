make_image png in.png 600x500
gpuimg equalize in.png out.png
for threads in 1 3 64 1000; do
  expect 0 gpuimg equalize -q --threads $threads --force in.png again.png
  cmp out.png again.png
done
