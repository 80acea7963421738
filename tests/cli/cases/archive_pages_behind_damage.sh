# Damaged multi-page files in an archive, as in a folder: the pages after the damage are lost, and the first page is
# read with a note.
gpuimg version | grep -q 'libarchive [0-9]' || { echo "built without libarchive"; exit 77; }
gpuimg version | grep -q 'libtiff [0-9]' || { echo "this gpuimg cannot read TIFF"; exit 77; }
make_image tif whole.tif 6x5 4
head -c 400 whole.tif >cut.tif
tar cf in.tar cut.tif whole.tif
gpuimg equalize in.tar first.tar 2>&1 | sed 's/ in [0-9].*//'
expect 1 gpuimg equalize --page 3 in.tar third.tar 2>&1 | sed 's/ in [0-9].*//'
tar tf first.tar
tar tf third.tar
