# -o NAME and --output NAME set OUT, so all other names are inputs. A name with braces is a template for each output.
mkdir photos
make_image png photos/a.png 8x8
make_image png photos/b.png 8x8
cp photos/a.png in.png
gpuimg equalize in.png named.png
gpuimg equalize in.png -o out.png && cmp named.png out.png
gpuimg equalize --output=- in.png | cmp named.png -
gpuimg equalize -o piped.png - <in.png && cmp named.png piped.png
gpuimg hist in.png -o counts.csv && gpuimg hist in.png | cmp counts.csv -
gpuimg hist photos -q --merge -o total.json && grep -c '"images": 2' total.json
gpuimg equalize -q photos/ -o tree/ && gpuimg equalize -q photos/a.png in.png -o two/ && ls tree two
printf 'photos/a.png\n' | gpuimg equalize -q --files-from - -o listed/ && ls listed/photos
gpuimg equalize -q photos in.png -o 'each/{index}_{name}' && ls each
expect 4 gpuimg equalize in.png -o out.png
expect 2 gpuimg equalize in.png -o out.gif
expect 2 gpuimg equalize in.png photos/a.png -o one.png
expect 2 gpuimg hist --merge photos -o '{name}.json'
expect 2 gpuimg equalize -o out.png
expect 2 gpuimg equalize in.png -o
