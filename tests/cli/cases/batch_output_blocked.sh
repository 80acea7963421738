# A full disk or a read-only one ends the run after a few failures, with a few lines and exit code 4. --resume continues
# it.
mkdir disk in
mount -t tmpfs -o size=16k tmpfs disk 2>/dev/null || { echo 'no permission to mount a small disk'; exit 77; }
trap 'umount disk' EXIT
make_image png in.png 30x20
for i in {1000..1999}; do ln in.png in/$i.png; done
dd if=/dev/zero of=disk/full bs=1k count=20 2>/dev/null
run() { expect "$@" 2>&1 | sed -E 's/^[0-9,]+ done, .* not started in .*/some not started/; s/and [0-9,]+ more/and N more/; s/ in [0-9.]+ s .*//'; }
run 4 gpuimg equalize --jobs 2 --manifest run.jsonl in disk/
[ "$(grep -c '"failed"' run.jsonl)" -lt 100 ] || echo 'it went on'
ls -A disk
mount -o remount,ro disk
run 4 gpuimg equalize -q --jobs 2 in disk/
mount -o remount,rw,size=100m disk
run 0 gpuimg equalize --manifest run.jsonl --resume run.jsonl in disk/
ls disk | wc -l
