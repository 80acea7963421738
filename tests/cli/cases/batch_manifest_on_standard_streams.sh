# A manifest must be a file, because standard output carries data.
mkdir in
make_image png in/a.png 9x9
for option in --manifest --resume --retry-failed; do expect 2 gpuimg equalize in out/ $option -; done
ls
gpuimg equalize -q in out/ --manifest ./- && grep -c '"done"' ./-
