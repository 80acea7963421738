make_image png in.png 7x5 graya 8
make_image chunk in.png turned.png eXIf 4d4d002a00000008000101120003000000010006000000000000
gpuimg info --json turned.png
make_image jpeg small.jpg 64x32
gpuimg info --json turned.png small.jpg >lines.json
python3 - <<'PY'
import json

for line in open("lines.json"):
    info = json.loads(line)
    print(info["file"], info["format"], info["upright_width"], info["upright_height"], info["channels"], info["alpha"])
PY
gpuimg info --json - <small.jpg | python3 -c 'import json, sys; print(json.load(sys.stdin)["process"])'
cat small.jpg | gpuimg info --json - | python3 -c 'import json, sys; print(json.load(sys.stdin)["file_bytes"])'
