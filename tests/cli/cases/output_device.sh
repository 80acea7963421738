make_image png in.png 9x9
ln -s /dev/full full.png
ln -s /dev/null null.csv
expect 4 gpuimg equalize --force in.png full.png
expect 4 gpuimg hist --force in.png null.csv
ls && exit 4
