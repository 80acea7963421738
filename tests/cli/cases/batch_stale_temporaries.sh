# kill -9 leaves at most temporary files. The next run removes those that its own host created and no process is
# writing.
make_image png in.png 1500x1000
mkdir in
for i in {100..180}; do ln in.png in/$i.png; done
gpuimg equalize -q in out/ --manifest run.jsonl &
while [ ! -e out/101.png ] && kill -0 $! 2>/dev/null; do sleep 0.01; done
kill -9 $!
wait $! 2>/dev/null
name=$(python3 - <<'PY'
import os
h = 0xcbf29ce484222325
for b in os.fsencode(os.uname().nodename):
    h = (h ^ b) * 0x100000001b3 & (1 << 64) - 1
print('.gpuimg-%06x' % (h & 0xffffff))
PY
)
touch out/${name}0123456789 out/${name}9876543210 out/.gpuimg-notours
exec 9>>out/${name}9876543210
flock 9
gpuimg equalize -q in out/ --manifest run.jsonl --resume run.jsonl
ls -A out | grep -v png | sed "s/$name/MINE/" | LC_ALL=C sort
rm out/.gpuimg-*
expected=$(gpuimg equalize in.png - | md5sum)
for file in out/*; do [ "$(md5sum <"$file")" = "$expected" ] || echo "partial: $file"; done
ls out | wc -l
