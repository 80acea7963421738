# Progress of one image: valid JSON lines. The last line reports the outcome. Other operations on one image print none.
make_image png in.png 60x40
gpuimg denoise --search 5 --progress json in.png out.png 2>json.txt
expect 3 gpuimg denoise --progress json missing.png other.png 2>>json.txt
grep '^{' json.txt | python3 -c '
import json, sys
for line in map(json.loads, sys.stdin):
    if line["event"] == "end":
        print(line["total"], line["done"], line["failed"], line.get("part"))'
gpuimg equalize --progress json in.png plain.png
