# `info` reads a header with a few reads, however large the file is.
make_image png in.png 7x5
truncate --size 1T in.png
gpuimg info in.png | head -4
