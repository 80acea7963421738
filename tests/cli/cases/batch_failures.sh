# After --fail-fast or --max-errors, no further image is started, and the summary counts the images that were not
# started. Each kind of failure affects only its own item.
mkdir in
for i in 11 12 13 14; do make_image png in/$i.png 9x9; done
for i in 01 02 03 04; do make_image cut in/11.png in/$i.png 100; done
mkfifo in/pipe.png
make_image bomb in/99.png 60000x60000
ln -s nowhere.png in/98.png
last() { "$@" 2>&1 | sed 's/ in [0-9.]* s.*//' | tail -n 1; }
last gpuimg equalize -j 1 --fail-fast in a/
last gpuimg equalize -j 1 --max-errors 3 in b/
expect 1 gpuimg equalize in c/ 2>&1 | sed 's/ in [0-9.]* s.*//; s/\(: file is truncated\|: file does not exist\)[:;].*/\1/'
expect 1 gpuimg equalize -q in d/ 2>&1 | wc -l
ls c
