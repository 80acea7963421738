# After Ctrl-C, one line says how to continue, and names the manifest if there is one. A run with --resume alone records
# its progress, so that it can be interrupted again.
make_image png in.png 1000x700
mkdir in
for i in {100..249}; do ln in.png in/$i.png; done
interrupted() {  # interrupted OUT OPTIONS…: Ctrl-C after three more outputs
  python3 - "$@" <<'PY'
import os, signal, subprocess, sys, time
folder, *options = sys.argv[1:]
outputs = lambda: len(os.listdir(folder)) if os.path.isdir(folder) else 0
enough = outputs() + 3
run = subprocess.Popen(["gpuimg", "equalize", "--jobs", "2", "in", folder + "/", *options],
                       stderr=subprocess.PIPE, text=True)
while outputs() < enough and run.poll() is None:
    time.sleep(0.01)
run.send_signal(signal.SIGINT)
said = run.communicate()[1]
print("exit", run.returncode)
print(*[line for line in said.splitlines() if "to continue" in line], sep="\n")
PY
}
interrupted out
interrupted kept --manifest run.jsonl
interrupted kept --resume run.jsonl
rm in/1[2-9]* in/2*
gpuimg equalize -q in kept/ --resume run.jsonl
gpuimg report run.jsonl
cat >options.py <<'PY'
import json
for line in open("options.jsonl"):
    run = json.loads(line)
    if "gpuimg" in run:
        print(run["options"])
PY
echo '--- options, in readable form'
gpuimg equalize -q in/100.png given.png --manifest options.jsonl --strength 0.5 --roi 0,0,9,9 --page 1 --lenient --strip
gpuimg equalize -q --force in/100.png given.png --resume options.jsonl --background "#fff"
python3 options.py
