# Failures with the same cause: the first files are named, the rest are counted. The manifest lists all of them.
mkdir in
make_image png in.png 90x90
for i in {100..139}; do ln in.png in/$i.png; done
(ulimit -f 1; gpuimg equalize --jobs 2 -q in out/ 2>&1; echo "exit $?")
make_image cut in.png cut.png 100
for i in {200..229}; do ln cut.png in/$i.png; done
expect 1 gpuimg equalize --jobs 2 --manifest run.jsonl in cut/ 2>&1 | sed -E 's/ in [0-9.]+ s .*//; s/file is truncated:.*/file is truncated/' | tail -n 4
grep -c '"failed"' run.jsonl
