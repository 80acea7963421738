# Names of every kind, cyclic links, a FIFO, a device and a socket: the images are processed and nothing hangs.
mkdir -p in/below
make_image png in/a.png 9x9
names=($'new\nline.png' '-v.png' '--force.png' $'\xff\xfe.png' $'\e[31mred.png' '*.png' '$(x);&.png' "$(printf 'n%.0s' {1..251}).png")
for name in "${names[@]}"; do cp in/a.png "in/$name"; done
cp in/a.png in/below/b.png
ln -s .. in/below/up
ln -s . in/here
ln -s circle.png in/circle.png
mkfifo in/pipe.png
ln -s /dev/zero in/zero.png
timeout 20 gpuimg equalize --recursive -q in out
echo "exit $?"
for name in a.png below/b.png "${names[@]}"; do [ -s "out/$name" ] || echo "missing: ${name@Q}"; done
find out -type f -printf x | wc -c
timeout 20 gpuimg equalize --recursive in again 2>&1 | grep -c $'\e'
exit 0
