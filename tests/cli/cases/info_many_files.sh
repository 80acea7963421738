# Damaged, missing and unrelated files are named in errors; all other files are still described.
mkdir -p photos/deep
make_image png photos/b.png 7x5
make_image jpeg photos/a.jpg 64x32
make_image ppm photos/deep/c.ppm 3x2
make_image cut photos/b.png photos/cut.png 20
printf '\xFF\x0A and more' >photos/t.jxl
expect 1 gpuimg info photos
echo "- all folders, without the bad ones"
gpuimg info -r photos --exclude 'cut*' --exclude '*.jxl'
echo "- names keep their order"
expect 1 gpuimg info photos/b.png nowhere.png photos/a.jpg
echo "- a list"
printf 'photos/a.jpg\0photos/b.png\0' | gpuimg info --files-from - --null
