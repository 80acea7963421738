# `batch -` runs the command lines on its input. It answers in input order, and each answer has the exit code and output
# of the command run alone.
make_image png a.png 40x30 rgb
make_image png b.png 20x10 gray 16
make_image gif bits.gif 9x7
printf 'no image' >bad.png
mkdir in out
cp a.png b.png in/
cat >commands.txt <<'X'
equalize a.png e.png
  gpuimg threshold 'a.png' "two words.png"

["resize", "a.png", "r.png", "--size", "50%"]
equalize a.png e.png
equalize a.png e.png --force
equalize missing.png m.png
equalize bad.png m.png
hist b.png --bins 4
hist a.png -
hist a.png h.csv --merge -q
equalize a.png -
equalize - m.png
equalize in/ out/ -q
info bits.gif
compare a.png e.png -q
equalize a.png c.png --then flip horizontal
equalize --strenght 0.5 a.png m.png
equalise a.png m.png
["equalize", 5]
["equalize"
equalize 'a.png m.png
equalize a.png m.png \
-q batch -
hist --tar - --merge
gpuimg

--no-such-option
equalize a.png nofolder/m.png
rotate 90 a.png turned.png
despeckle bits.gif speck.png
X
printf 'equalize a.png nul\0.png\n' >>commands.txt
printf 'resize b.png last.png --size 5x' >>commands.txt
shown() {  # removes times, and truncates long texts
  sed -E 's/, "ms": [0-9.]+\}/}/; s/("stdout": "[^"]{30})[^"]*"/\1…"/'
}
gpuimg batch - -j 1 <commands.txt >answers.txt
echo "exit $?"
shown <answers.txt
cat out/a.png e.png >/dev/null && ls *.png
# Each output equals the output of the command run alone, whatever runs at the same time.
gpuimg equalize a.png alone.png && cmp alone.png e.png && cmp alone.png out/a.png
gpuimg resize a.png alone2.png --size 50% && cmp alone2.png r.png
for i in 1 2 3 4 5 6 7 8; do
  echo "equalize a.png many/$i.png --then resize --size ${i}0%"
  echo "equalize in/ many/folder$i/ -q"
  echo "hist a.png --bins $i"
  echo "info b.png"
  echo "hist nothing$i.png -"
  echo "threshold b.png many/bits$i.png"
done >many.txt
for jobs in 1 2 7; do
  rm -rf many && mkdir many
  gpuimg batch many.txt -j $jobs | sed -E 's/, "ms": [0-9.]+\}/}/' >answers.$jobs
  (cd many && cat */* *.*) | cksum >sum.$jobs
  cmp answers.1 answers.$jobs && cmp sum.1 sum.$jobs
done
wc -l <answers.1
# An option of `batch` applies to every command line that does not set the option itself.
printf 'equalize a.png v.png\nequalize a.png q.png -q\n' | gpuimg batch - --backend cpu -v | grep -o 'backend cpu' | sort | uniq -c | tr -s ' '
printf 'equalize a.png v.png\n' | gpuimg batch - --force -q | shown
# A line that is too long gets an answer, too.
{ head -c 1100000 /dev/zero | tr '\0' x; printf '\nflip vertical a.png f.png\n'; } | gpuimg batch - | shown
# An empty input, a missing input, and a reader that closes the pipe.
gpuimg batch - </dev/null
echo "exit $?"
gpuimg batch
echo "exit $?"
gpuimg batch nothing.txt
echo "exit $?"
yes 'info a.png' | head -n 1000 | gpuimg batch - | head -n 1 | shown
