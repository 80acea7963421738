make_image png in.png 30x30
gpuimg equalize --timing --json in.png out.png 2>timing.json
python3 -c "
import json
times = json.load(open('timing.json'))
print(*times)
phases = sum(value for name, value in times.items() if name not in ('total_ms', 'decoded_by', 'encoded_by'))
print(times['decoded_by'], times['encoded_by'])
print('ok' if 0 < phases <= times['total_ms'] + 0.01 else times)"
