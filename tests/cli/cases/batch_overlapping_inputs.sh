# A file that several arguments include counts once.
mkdir -p photos/sub
make_image png photos/a.png 9x9
make_image png photos/sub/b.png 9x9
gpuimg hist --merge --quiet --format json -r photos photos/sub photos/a.png - | grep '"images"'
gpuimg equalize --quiet -r --manifest m photos photos/sub out/
gpuimg report m
find out -type f | sort
