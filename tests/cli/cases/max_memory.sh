# --max-memory: an image whose format can be read in rows is processed in bands. Any other image is rejected; the
# message says how much memory is needed and which option to give. A folder run continues, and can be resumed with a
# higher limit.
[ "$GPUIMG_SANITIZED" != 1 ] || exit 0  # a sanitizer itself takes more than the limit
exec 3>&1 >found.txt
needs='needs about [0-9,]* MB of memory, but --max-memory leaves [0-9]* MB; give --max-memory \([0-9]*M\) or more$'
{ printf 'P1 4000 4000\n'; head -c 16000000 /dev/zero | tr '\0' 1; } >text.pbm
make_image png large.png 3000x2000 rgb
make_image png small.png 30x20 rgb
echo "- one image"
gpuimg hist --backend cpu text.pbm all.csv
gpuimg hist --backend cpu --max-memory 30M text.pbm 30.csv 2>rejected.txt
echo "exit $?"
sed "s/$needs/NEEDS/" rejected.txt
enough=$(sed -n "s/.*$needs/\1/p" rejected.txt)
gpuimg hist --backend cpu --max-memory "$enough" text.pbm enough.csv && cmp all.csv enough.csv
gpuimg integral --backend cpu --threads 1 large.png whole.npy
gpuimg integral --backend cpu --threads 1 --max-memory 30M large.png bands.npy && cmp whole.npy bands.npy
gpuimg integral --backend cpu --threads 1 - piped.npy --max-memory 30M <large.png && cmp whole.npy piped.npy
gpuimg hsl --backend cpu --planes --max-memory 30M large.png planes.npy 2>&1 | sed "s/$needs/NEEDS/"
echo "- damage that shows late"
cp large.png bad.png
printf 'X' | dd of=bad.png bs=1 seek=$(($(stat -c %s bad.png) / 2)) conv=notrunc status=none
gpuimg integral --backend cpu --threads 1 --max-memory 22M bad.png bad.npy 2>&1 | sed "s/$needs/NEEDS/"
echo "- a folder"
mkdir in && mv text.pbm large.png small.png in/
for jobs in 1 2; do
  gpuimg integral --backend cpu -j $jobs --threads 2 -q --max-memory 40M --manifest run$jobs.jsonl in/ out$jobs/ 2>rejected.txt
  echo "exit $?"
  sed "s/$needs/NEEDS/" rejected.txt
  cmp whole.npy out$jobs/large.npy
  ls out$jobs
  grep -c "out_of_memory" run$jobs.jsonl
  gpuimg integral --backend cpu -q --max-memory 1G --resume run$jobs.jsonl --manifest run$jobs.jsonl in/ out$jobs/
  echo "exit $?"
  ls out$jobs
done
echo "- a mask counts, also that of an archive"
{ printf 'P4\n8000 5000\n'; head -c 5000000 /dev/zero; } >mask.pbm
tar cf mask.tar mask.pbm
gpuimg equalize --backend cpu --threads 1 -q --mask mask.pbm --max-memory 110M mask.tar out.tar 2>rejected.txt
echo "exit $?"
sed "s/$needs/NEEDS/" rejected.txt
echo "- a pair"
gpuimg compare -q --backend cpu --max-memory 40M in/large.png in/large.png 2>rejected.txt
echo "exit $?"
sed "s/$needs/NEEDS/" rejected.txt
gpuimg compare -q --backend cpu --max-memory "$(sed -n "s/.*$needs/\1/p" rejected.txt)" in/large.png in/large.png
echo "exit $?"
diff found.txt - >&3 <<'END'
- one image
exit 6
gpuimg: error: text.pbm: NEEDS
gpuimg: error: large.png: NEEDS
- damage that shows late
gpuimg: error: bad.png: must be read as a whole, because it is damaged or unusual; it NEEDS
- a folder
exit 1
gpuimg: error: in/text.pbm: NEEDS
large.npy
small.npy
1
exit 0
large.npy
small.npy
text.npy
exit 1
gpuimg: error: in/text.pbm: NEEDS
large.npy
small.npy
1
exit 0
large.npy
small.npy
text.npy
- a mask counts, also that of an archive
exit 1
gpuimg: error: mask.pbm: NEEDS
- a pair
exit 6
gpuimg: error: in/large.png: NEEDS
exit 0
END
