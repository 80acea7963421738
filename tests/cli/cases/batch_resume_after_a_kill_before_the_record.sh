# If gpuimg is killed after an output gets its final name but before the manifest's line `done`, the last record is
# `begun`, and the output is written again. `manifest …` edits a manifest into the state that a kill, a failure or an
# older gpuimg would have left.
mkdir in
for i in 1 2 3; do make_image png in/$i.png 9x9 rgb 8 $i; done
cat >manifest <<'P'
import json, sys
how, path = sys.argv[1:]
lines = [json.loads(line) for line in open(path)]
if how == "killed":
    lines = [l for l in lines if l.get("status") != "done" or "/2" not in l["input"]]
elif how == "failed":
    begun = next(l for l in lines if l.get("status") == "begun" and "/2" in l["input"])
    lines.append({**begun, "status": "failed", "error": {"kind": "write", "message": "in/2.png: it already exists"}})
elif how == "schema 1":
    lines = [l for l in lines if l.get("status") != "begun"]
    for line in lines:
        if "gpuimg" in line:
            line["schema"] = 1
            line.pop("folder", None)
open(path, "w").write("".join(json.dumps(l) + "\n" for l in lines))
P
last() { "$@" 2>&1 | sed 's/ in [0-9.]* s.*//' | tail -n 1; }
run() { last gpuimg hsl --planes in out/ --manifest m "$@"; }
run
cksum out/* >whole
python3 manifest killed m
expect 1 gpuimg report m
echo 'an older result' >out/2_h.npy
rm out/2_s.npy
run --resume m
cksum out/* | cmp - whole && gpuimg report m
echo '--retry-failed also repeats images that were begun but not finished:'
python3 manifest killed m
run --retry-failed m
cksum out/* | cmp - whole
echo 'outputs of an earlier run stay known after a failure:'
python3 manifest killed m
python3 manifest failed m
run --resume m
echo 'an output that did not exist before may come from another program:'
rm -r out m
run
python3 manifest killed m
python3 manifest failed m
echo 'mine' >out/2_h.npy
run --resume m
cat out/2_h.npy
echo 'schema 1, with the same options and with other options:'
rm -r out m
run
python3 manifest 'schema 1' m
touch in/1.png
run --resume m
cksum out/* | cmp - whole
python3 manifest 'schema 1' m
run --resume m --encode float
