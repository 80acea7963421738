# A file is open only while a worker processes it, so the number of descriptors depends on the workers and not on the
# number of files.
make_image png in.png 8x8
mkdir in
for i in {100..299}; do ln in.png in/$i.png; done
(ulimit -n 24; exec gpuimg equalize --backend cpu -q --jobs 4 --manifest run.jsonl in out/)
status=$?
[ "$(ls out | wc -l)" -eq 200 ] || echo "$(ls out | wc -l) outputs of 200"
exit $status
