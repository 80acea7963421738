export CUDA_VISIBLE_DEVICES=
gpuimg bench -v --size 8 --json >times.json
python3 -c "
import json
report = json.load(open('times.json'))
print([backend['name'] for backend in report['backends']])
print({tuple(timing['backend'] for timing in row['timings']) for row in report['results']})
print({row['equal'] for row in report['results']})"
gpuimg bench --size 8 --backend cpu | tail -1
expect 5 gpuimg bench --size 8 --backend cuda
expect 5 gpuimg bench --size 8 --verify
