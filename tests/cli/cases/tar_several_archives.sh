# Several archives in one run: one table, one sum, one list of duplicates. Each name begins with the archive's name.
printf 'P5\n2 1\n255\n\1\3' >a.pgm
printf 'P5\n2 1\n255\n\5\7' >b.pgm
mkdir shards in && tar cf shards/0.tar a.pgm b.pgm && cp b.pgm c.pgm && echo label >c.txt && tar czf shards/1.tar.gz c.pgm c.txt
gpuimg hist shards/0.tar shards/1.tar.gz --table --columns name,folder,file,luma_mean --total -o - 2>err.txt
sed 's/ in [0-9].*//' err.txt
for jobs in 1 4; do gpuimg hist -q -j $jobs shards/* --table -o - | cut -d, -f 1; done
gpuimg hist -q --merge shards/0.tar shards/1.tar.gz --summary -o -
gpuimg hist -q --merge shards/0.tar shards/1.tar.gz sum.json && gpuimg hist -q --merge shards/0.tar c.pgm - 2>&1
gpuimg duplicates -q shards/0.tar shards/1.tar.gz --distance 0 --format csv
cp shards/1.tar.gz data && gpuimg hist -q --tar --table shards/0.tar data -o - | cut -d, -f 1
expect 1 gpuimg hist -q shards/0.tar shards/1.tar.gz --fail-if 'mean>5'
echo "- a damaged archive: no table"
head -c 700 shards/0.tar >shards/2.tar
expect 3 gpuimg hist -q shards/0.tar shards/2.tar table.csv --table
expect 3 gpuimg hist -q shards/0.tar missing.tar table.csv --table
ls table.csv 2>/dev/null
echo "- what is not an archive is found before the first one is processed"
echo text >shards/3.tar && cp b.pgm shards/4.tar && printf 'PK\3\4' >shards/5.tar
for other in 3 4 5; do
  expect 3 gpuimg hist shards/0.tar shards/$other.tar table.csv --table --fail-if 'mean>5'
done
ls table.csv 2>/dev/null
echo "- absolute names of members"
tar cPf absolute.tar --transform 's,^,/data/,' a.pgm b.pgm
gpuimg hist -q absolute.tar shards/0.tar --table --columns name,folder,file -o -
gpuimg duplicates -q shards/0.tar absolute.tar --distance 0 --table | cut -d, -f 3
echo "- rejections"
expect 2 gpuimg hist shards/0.tar in table.csv --table
expect 2 gpuimg hist shards/0.tar a.pgm table.csv --table
expect 2 gpuimg hist --tar shards/0.tar - table.csv --table
expect 2 gpuimg equalize shards/0.tar shards/1.tar.gz out.tar
expect 4 gpuimg hist -q shards/0.tar shards/1.tar.gz -o shards/1.tar.gz --table --format csv
