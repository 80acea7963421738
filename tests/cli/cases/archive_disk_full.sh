# Several workers write one archive. A full disk gives one error, and no part of the archive is left.
gpuimg version | grep -q 'libarchive [0-9]' || { echo "built without libarchive"; exit 77; }
mkdir disk in
mount -t tmpfs -o size=1m tmpfs disk 2>/dev/null || { echo 'no permission to mount a small disk'; exit 77; }
trap 'umount disk' EXIT
for i in {1..9}; do make_image ppm in/$i.ppm 400x300 $i; done
tar -C in -cf in.tar {1..9}.ppm
expect 4 gpuimg equalize -q -j 8 in.tar disk/out.tar
ls -A disk
mount -o remount,size=8m disk
gpuimg equalize -q -j 8 in.tar disk/out.tar
gpuimg equalize -q -j 1 in.tar out.tar
cmp out.tar disk/out.tar
