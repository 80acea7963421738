# Repeated notes: the first three files are named, the rest are counted. -v names all files; -q prints no notes.
mkdir in
for i in {10..30}; do printf 'P5\n2 1\n4095\n\0\0\17\377' >in/$i.pgm; done
printf 'P5\n2 1\n15\n\0\17' >in/40.pgm
summary() { sed -E 's/ in [0-9.]+ s.*//'; }
for jobs in 1 4; do gpuimg equalize --jobs $jobs in out$jobs/ 2>&1 | summary; done
gpuimg equalize -v in verbose/ 2>&1 | grep -c 'are scaled to'
gpuimg equalize -q in quiet/
echo "- of an archive"
tar cf in.tar --sort=name in
gpuimg equalize in.tar out.tar 2>&1 | summary
echo "- before failures"
printf 'P5\n2 1\n4095\n\0' >in/20.pgm
expect 1 gpuimg hist --table in - 2>&1 >/dev/null | summary
