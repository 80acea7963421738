# SIGTERM: images in flight are finished, no partial file is left, the exit code is 75, and the run can be resumed. A
# second SIGTERM ends the run immediately.
make_image png in.png 1500x1000
mkdir in
for i in {100..399}; do ln in.png in/$i.png; done
gpuimg equalize -q --jobs 2 --manifest run.jsonl in out/ &
while [ ! -e out/101.png ] && kill -0 $! 2>/dev/null; do sleep 0.02; done
kill -TERM $!
wait $!
echo "exit $?"
expected=$(gpuimg equalize in.png - | md5sum)
for file in out/*; do [ "$(md5sum <"$file")" = "$expected" ] || echo "partial: $file"; done
[ "$(grep -c '"done"' run.jsonl)" -eq "$(ls out | wc -l)" ] || echo 'the manifest does not say what was done'
[ "$(ls out | wc -l)" -lt 300 ] || echo 'it did not stop'
gpuimg equalize -q --jobs 2 in twice/ &
while [ ! -e twice/101.png ] && kill -0 $! 2>/dev/null; do sleep 0.02; done
kill -TERM $!; kill -TERM $!
wait $!
echo "exit $?"
for file in twice/*; do [ "$(md5sum <"$file")" = "$expected" ] || echo "partial: $file"; done
rm in/2*.png in/3*.png
gpuimg equalize --manifest run.jsonl --resume run.jsonl in out/ 2>&1 | sed 's/.* \([0-9]* failed\).*/\1/'
ls out/1* | wc -l
python3 - <<'PY'
import os, signal, subprocess, time
run = subprocess.Popen(["gpuimg", "equalize", "-q", "--jobs", "2", "in", "interrupted/"])
while not os.path.exists("interrupted/101.png") and run.poll() is None:
    time.sleep(0.01)
run.send_signal(signal.SIGINT)
print("exit", run.wait())
PY
