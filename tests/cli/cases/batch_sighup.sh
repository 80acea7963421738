# SIGHUP ends a run like SIGTERM: images in flight are finished, and the exit code is 75. Under nohup the run continues.
# A single image leaves no output.
make_image png in.png 1500x1000
mkdir in
for i in {100..399}; do ln in.png in/$i.png; done
gpuimg equalize -q --jobs 2 --manifest run.jsonl in out/ &
while [ ! -e out/101.png ] && kill -0 $! 2>/dev/null; do sleep 0.02; done
kill -HUP $!
wait $!
echo "exit $?"
expected=$(gpuimg equalize in.png - | md5sum)
for file in out/*; do [ "$(md5sum <"$file")" = "$expected" ] || echo "partial: $file"; done
[ "$(grep -c '"done"' run.jsonl)" -eq "$(ls out | wc -l)" ] || echo 'the manifest does not say what was done'
[ "$(ls out | wc -l)" -lt 300 ] || echo 'it did not stop'
rm in/[23]*.png in/1[1-9]*.png
nohup gpuimg equalize -q --jobs 1 in ignored/ &
while [ ! -e ignored/100.png ] && kill -0 $! 2>/dev/null; do sleep 0.02; done
kill -HUP $!
wait $!
echo "exit $?, $(ls ignored | wc -l) done"
make_image png large.png 6000x4000
mkdir one
gpuimg equalize large.png one/out.png &
while [ -z "$(ls -A one)" ] && kill -0 $! 2>/dev/null; do sleep 0.01; done
kill -HUP $!
wait $!
echo "exit $?"
ls -A one
