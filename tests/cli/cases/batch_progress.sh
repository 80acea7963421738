# Valid JSON lines; a progress bar only on a terminal; otherwise only the summary line.
make_image png in.png "$([ "$GPUIMG_SANITIZED" = 1 ] && echo 600x450 || echo 2400x1800)"  # a sanitized gpuimg takes 16 times as long
mkdir in
for i in {1..40}; do ln in.png in/$i.png; done
gpuimg equalize --progress json in a/ 2>json.txt
grep '^{' json.txt | python3 -c '
import json, sys
lines = [json.loads(line) for line in sys.stdin]
last = lines[-1]
print(last["event"], last["total"], last["done"], last["failed"], last["skipped"], all(l["event"] == "progress" for l in lines[:-1]))'
grep -v '^{' json.txt | sed 's/ in [0-9.]* s (.*/ in T/'
gpuimg equalize in b/ 2>&1 | sed 's/ in [0-9.]* s (.*/ in T/' | cat -v
gpuimg equalize -q in c/
# On any machine, this run takes longer than the half second before the first bar is drawn.
gpuimg equalize --backend cpu --png-level 3 --progress always --jobs 1 --threads 1 in d/ 2>&1 | tr '\r' '\n' |
  grep -c '^.\[K\[=* *\] [0-9]*/40 ' | sed 's/^[1-9][0-9]*$/drawn/'
