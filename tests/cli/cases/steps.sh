# Several steps: folders, archives, streams, manifests, and the same bytes as single commands.
make_image png a.png 60x50 rgb
make_image png b.png 41x33 gray
mkdir in && cp a.png b.png in/
gpuimg denoise -q --patch 3 --search 5 in/ one/ && gpuimg equalize -q --clahe one/ two/ && gpuimg threshold -q --method sauvola two/ expected/
steps() { gpuimg denoise -q --patch 3 --search 5 "$@" --then equalize --clahe --then threshold --method sauvola; }
steps in/ out/ && cmp out/a.png expected/a.png && cmp out/b.png expected/b.png
steps - - <a.png | cmp - expected/a.png
tar -C in -cf in.tar a.png b.png && steps in.tar out.tar && tar -xOf out.tar a.png | cmp - expected/a.png
steps in/ again/ --manifest run.jsonl && rm again/b.png && steps in/ again/ --manifest run.jsonl --resume run.jsonl
grep -c '"status": "done"' run.jsonl
cmp again/b.png expected/b.png
steps a.png verified.png --verify --backend cpu 2>/dev/null || true
gpuimg hsl -q --hue 30 in/ rows.csv --then equalize --then hist --table && wc -l <rows.csv
expect 2 gpuimg equalize a.png x.png --then info
expect 2 gpuimg equalize a.png x.png --then hist
expect 3 gpuimg equalize missing.png x.png --then threshold
expect 2 gpuimg integral --mean 999 a.png x.png --then threshold
ls x.png 2>/dev/null
find . -name '.gpuimg*'
