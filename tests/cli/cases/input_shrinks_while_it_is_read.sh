# Another process repeatedly truncates and restores the file. gpuimg must read the image or exit with 3; it must never
# die from a signal.
make_image png whole.png 700x500
cp whole.png in.png
cp whole.png copy.png
size=$(stat -c %s whole.png)
(while :; do truncate -s $((size / 3)) in.png; cat whole.png >in.png; done) &
changer=$!
for run in {1..60}; do
  gpuimg equalize --force in.png out.png 2>/dev/null
  status=$?
  [ $status -eq 0 ] || [ $status -eq 3 ] || echo "exit code $status"
done
kill $changer
wait $changer 2>/dev/null
gpuimg equalize whole.png expected.png
[ ! -e out.png ] || cmp out.png expected.png
