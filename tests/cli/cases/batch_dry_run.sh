# --dry-run prints the plan and touches nothing.
mkdir -p here/in/below here/out
cd here
make_image png in/a.png 8x8
cp in/a.png in/below/b.png
touch out/a.png
find . -printf '%p %T@\n' | sort >../before.txt
gpuimg equalize -rn --skip-existing --manifest run.jsonl in out
expect 4 gpuimg equalize -rn in out 2>/dev/null
expect 0 gpuimg equalize -rn in new >/dev/null
find . -printf '%p %T@\n' | sort | diff ../before.txt -
