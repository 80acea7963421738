mkdir folder
mkfifo pipe
ln -s loop loop
expect 3 gpuimg hist folder
expect 3 gpuimg hist pipe
expect 3 gpuimg hist /dev/zero
expect 3 gpuimg hist loop
expect 3 gpuimg hist folder/below/it.png
touch file
expect 3 gpuimg hist file/below.png
exit 3
