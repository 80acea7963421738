# An empty pipe: the program before it wrote nothing, and its own message gives the reason.
gpuimg version | grep -q 'libarchive [0-9]' || { echo "built without libarchive"; exit 77; }
true | expect 3 gpuimg hist -
true | expect 3 gpuimg info -
true | expect 3 gpuimg equalize - out.png
true | expect 3 gpuimg equalize --tar - out.tar
: >empty
expect 3 gpuimg hist - <empty
ls out.* 2>/dev/null
exit 0
