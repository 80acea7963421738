# gpuimg starts at most one thread per processor, and only threads for which the image has work. The bytes stay the
# same. One additional thread waits for signals.
make_image png in.png 600x500
make_image png tiny.png 1x1
gpuimg equalize in.png photo.jpg
of_sanitizer=$GPUIMG_SANITIZED  # the thread sanitizer also starts one
most=$(($(nproc) + 1 + of_sanitizer))
check() { [ "$2" -le "$1" ] || echo "$2 threads instead of $1: $3"; }
for threads in 1000 65536; do
  for words in "equalize in.png -" "equalize photo.jpg -" "hist in.png" "integral in.png -" "hsl in.png -"; do
    check $most "$(thread_count gpuimg -q --threads $threads $words)" "$words --threads $threads"
  done
done
check $most "$(GPUIMG_THREADS=500 thread_count gpuimg equalize in.png -)" GPUIMG_THREADS
for words in "equalize tiny.png -" "hist tiny.png" "integral tiny.png -" "hsl tiny.png -"; do
  check $((2 + of_sanitizer)) "$(thread_count gpuimg $words)" "$words"
done
gpuimg equalize --threads 65536 in.png many.png 2>note.txt
sed "s/starting $(nproc)$/starting N/" note.txt
gpuimg equalize --threads 1 in.png one.png
cmp many.png one.png
GPUIMG_THREADS=500 gpuimg equalize in.png environment.png
mkdir in
for i in 1 2 3; do ln in.png in/$i.png; done
python3 - $of_sanitizer <<'P'
import os, subprocess, sys
run = subprocess.Popen(["gpuimg", "equalize", "-q", "--png-level", "3", "--jobs", "64", "in", "out/"])
most = 0
while run.poll() is None:
    try:
        most = max(most, len(os.listdir(f"/proc/{run.pid}/task")))
    except OSError:
        pass
allowed = max(3, len(os.sched_getaffinity(0))) + 1 + int(sys.argv[1])
if not 2 <= most <= allowed:
    print(f"{most} threads for 3 images, and {allowed} are enough")
P
