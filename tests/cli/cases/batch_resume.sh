# --skip-existing, --resume and --retry-failed process exactly the remaining images. A manifest is not overwritten.
mkdir in
for i in 1 2 3 4; do make_image png in/$i.png 9x9 rgb 8 $i; done
make_image cut in/4.png in/5.png 100
last() { "$@" 2>&1 | sed 's/ in [0-9.]* s.*//' | tail -n 1; }
run() { last gpuimg equalize in out/ "$@"; }
run --manifest run.jsonl
run --skip-existing
run --manifest run.jsonl --skip-existing
run --manifest run.jsonl --resume run.jsonl
rm out/1.png
make_image png in/2.png 9x9 rgb 8 22
run --manifest run.jsonl --resume run.jsonl
cp in/4.png in/5.png
run --manifest run.jsonl --retry-failed run.jsonl
gpuimg report run.jsonl
run --color rgb --resume run.jsonl
last gpuimg equalize in other/ --resume none-yet.jsonl --manifest none-yet.jsonl
gpuimg report none-yet.jsonl
printf '{"half a line' >>run.jsonl
run --manifest run.jsonl --resume run.jsonl
gpuimg report run.jsonl 2>&1
expect 3 gpuimg report in/1.png 2>&1
