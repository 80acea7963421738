make_image flat in.png 2x2 1
is_json() { python3 -c "
import json, sys
content = json.load(sys.stdin)
print('$1:', content.get('operation', 'times' if 'total_ms' in content else '?'), content.get('images', ''))"; }
gpuimg hist --json in.png | is_json 'into a pipe'
gpuimg --json hist in.png - | is_json 'to -'
on_terminal 80 gpuimg hist --json in.png | is_json 'on a terminal'
gpuimg hist --json --merge in.png in.png - 2>/dev/null | is_json 'a sum'
gpuimg hist --json --timing in.png 2>times.json | is_json 'with --timing, stdout'
is_json 'with --timing, stderr' <times.json
gpuimg hist --json --timing in.png out.csv 2>times.json
is_json 'with OUT, stderr' <times.json
head -1 out.csv
gpuimg hist --json --chart in.png chart.txt
gpuimg equalize --json in.png out.png
expect 2 gpuimg hist --json --chart in.png
expect 2 gpuimg hist --json --format csv in.png -
gpuimg hist --json --format json in.png - | is_json '--format json'
