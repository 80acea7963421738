mkdir disk
mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null || { echo 'no permission to mount a small disk'; exit 77; }
trap 'umount disk' EXIT
make_image png in.png 300x200
expect 4 gpuimg equalize in.png disk/out.png
expect 4 gpuimg integral in.png disk/out.npy
expect 4 gpuimg hsl --planes in.png disk/out.png
echo old >disk/old.png
expect 4 gpuimg equalize --force in.png disk/old.png
ls -A disk
cat disk/old.png
exit 4
