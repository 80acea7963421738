# For one file, `info` gives the same errors and exit codes as every other subcommand.
expect 2 gpuimg info
expect 2 gpuimg info --null a.png
expect 3 gpuimg info nowhere.png
expect 3 gpuimg info - </dev/null
printf '\xFF\x0A' >photo.jxl
expect 3 gpuimg info photo.jxl
printf 'hello\n' >hello.png
expect 3 gpuimg info hello.png
make_image png in.png 7x5
make_image cut in.png cut.png 40
expect 3 gpuimg info cut.png
mkdir empty
expect 3 gpuimg info empty
make_image bomb huge.png 60000x60000
expect 3 gpuimg hist huge.png
gpuimg info huge.png | grep size:
gpuimg info --recursive in.png >/dev/null
