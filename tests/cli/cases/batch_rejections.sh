# Mistakes are found before any image is processed: two inputs with one output, OUT among the inputs, existing outputs.
mkdir in out link
make_image png in/a.png 8x8
make_image gif in/a.gif 8x8
expect 2 gpuimg equalize in new/
rm in/a.gif
make_image png in/b.png 8x8
expect 4 gpuimg equalize in in
expect 4 gpuimg equalize in ./in/
ln in/b.png link/a.png
expect 4 gpuimg equalize in link
expect 4 gpuimg equalize --force in link
touch out/b.png
expect 4 gpuimg equalize in out
touch out/a.png
expect 4 gpuimg equalize in out
expect 2 gpuimg equalize in/a.png in/b.png c.png
expect 3 gpuimg equalize in missing.png out
expect 2 gpuimg hist --format svg in
expect 2 gpuimg equalize --lut t.csv in new/
expect 2 gpuimg equalize --output-format xcf in new/
expect 2 gpuimg equalize --jobs 0 in new/
expect 2 gpuimg equalize --max-memory much in new/
expect 2 gpuimg equalize --shard 0/4 in new/
ls -A . in out link new 2>&1
gpuimg equalize --force -q in out && gpuimg equalize --in-place -q in in && cmp in/a.png out/a.png
