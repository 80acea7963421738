# hist --table: one row per image, in order, as CSV and JSON lines. --resume continues the table from the manifest;
# damaged files are left out.
mkdir -p in/deep
printf 'P5\n4 5\n255\n\0\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\377' >in/gray.pgm
printf 'P6\n2 1\n255\n\12\24\36\12\24\377' >'in/a,"b".ppm'
make_image png in/deep/x.png 4x4 rgba 16
gpuimg hist -q -r in stats.csv --table
cat stats.csv
gpuimg hist -q in - --table --format jsonl
echo "- streams, names and order"
gpuimg hist -q -r --table in | cmp - stats.csv
for jobs in 1 3; do gpuimg hist -q -r --table -j $jobs in - | cmp - stats.csv; done
gpuimg hist -q --table in/gray.pgm - | cut -d, -f 1-5
cp in/gray.pgm "in/$(printf '\377').pgm" && gpuimg hist -q --json --table in | cut -c 1-50 | head -3 && rm in/*$(printf '\377')*
mkdir other && cp in/gray.pgm other/a.pgm
gpuimg hist -q --table in/gray.pgm other/a.pgm in/deep in/gray.pgm 'in/a,"b".ppm' other/../other/a.pgm in/deep/../deep/x.png - | cut -d, -f 1-3
printf '%s\n' in/gray.pgm other/a.pgm in/deep/x.png | gpuimg hist -q --table --files-from - - | cut -d, -f 1-3
echo "- a damaged file"
make_image cut in/deep/x.png in/cut.png 40
expect 1 gpuimg hist -q -r in other.csv --table
cmp other.csv stats.csv
rm in/cut.png other.csv
echo "- continued"
gpuimg hist -q in run.csv --table --manifest m.jsonl
expect 4 gpuimg hist -q -r in run.csv --table
expect 4 gpuimg hist -q -r in run.csv --table --manifest m2.jsonl --resume nowhere.jsonl
gpuimg hist -r in run.csv --table --manifest m.jsonl --resume m.jsonl 2>&1 | sed 's/ in .*//'
cmp run.csv stats.csv
touch -d 2001-01-01 in/gray.pgm
gpuimg hist -r in run.csv --table --manifest m3.jsonl --resume m.jsonl 2>&1 | sed 's/ in .*//'
cmp run.csv stats.csv
gpuimg hist -r in run.csv --table --manifest m3.jsonl --resume m3.jsonl 2>&1 | sed 's/ in .*//'
cmp run.csv stats.csv
sed -i 's/"result": "4,5/"result": "5/' m3.jsonl
expect 3 gpuimg hist -q -r in run.csv --table --manifest m3.jsonl --resume m3.jsonl
cmp run.csv stats.csv
echo "- an image that fails a check still has a row"
expect 1 gpuimg hist -q -r in checked.csv --table --fail-if 'min<1'
cmp checked.csv stats.csv
echo "- rejections"
expect 2 gpuimg hist in stats.png --table
expect 2 gpuimg hist in stats.json --table
expect 2 gpuimg hist in new.csv --table --merge
expect 2 gpuimg hist in new.csv --table --manifest m.jsonl --retry-failed m.jsonl
gpuimg hist --table --channel rgb --bins 4 in/gray.pgm new.csv 2>&1 | grep note
echo "- alpha includes all pixels, as with --channel a"
printf 'P7\nWIDTH 4\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\1\1\1\377\2\2\2\377\3\3\3\200\4\4\4\0' >alpha.pam
printf 'P5\n4 1\n255\n\0\1\1\1' >mask.pgm
alpha() {  # mean, share at 0 and share at 255, from the table and from --channel a
  gpuimg hist -q --table --json alpha.pam "$@" | sed -E 's/.*"a": .*"mean": ([^,]*),.*"share_at_zero": ([^,]*), "share_at_max": ([^}]*).*/\1 \2 \3/'
  gpuimg hist -q --channel a --json alpha.pam "$@" | sed -En 's/ *"(mean|share_at_zero|share_at_max)": ([^,]*),?/\2/p' | paste -sd ' '
}
alpha
alpha --roi 2,0,2,1
alpha --mask mask.pgm
alpha --mask mask.pgm --roi 0,0,2,1
alpha --transparent skip
alpha --transparent count
gpuimg hist -q --table alpha.pam - | tail -n 1 | cut -d, -f 6-8
echo "- checks are for levels: opaque pixels are not clipped"
gpuimg hist -q --table --fail-if 'clipped>1%' alpha.pam - >/dev/null
