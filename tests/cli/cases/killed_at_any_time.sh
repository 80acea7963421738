# SIGKILL, SIGTERM, SIGINT and SIGHUP, 100 times each at a random moment, for one image, several images and an archive.
# A file with a final name is complete or absent. Only SIGKILL leaves temporary files, which the next run removes.
make_image png in.png 300x200
mkdir in
for i in {1..6}; do ln in.png in/$i.png; done
gpuimg equalize in.png expected.png
gpuimg version | grep -q 'libarchive [0-9]' && tar -C in --hard-dereference -cf in.tar . && gpuimg equalize -q in.tar expected.tar
python3 - <<'P'
import os, random, signal, subprocess, time
RUNS = [(["in.png", "out/1.png"], "expected.png"), (["-q", "--jobs", "2", "in", "out"], "expected.png"),
        (["-q", "--jobs", "2", "in.tar", "out/1.tar"], "expected.tar")]
seed = random.randrange(1 << 32)
rng = random.Random(seed)
def problems(kind, status, folder, expected):
    for name in os.listdir(folder):
        if name.startswith(".gpuimg-"):
            if kind != signal.SIGKILL:
                yield "a temporary file is left"
            os.unlink(os.path.join(folder, name))
        elif open(os.path.join(folder, name), "rb").read() != expected:
            yield f"{name} is not whole"
        else:
            os.unlink(os.path.join(folder, name))
    if status not in (0, -kind, 75, 130):
        yield f"exit code {status}"
os.mkdir("out")
for arguments, whole_output in RUNS:
    if not os.path.exists(whole_output):  # gpuimg was built without libarchive
        continue
    expected = open(whole_output, "rb").read()
    began = time.monotonic()
    subprocess.run(["gpuimg", "equalize", *arguments], check=True)
    whole = time.monotonic() - began
    list(problems(signal.SIGKILL, 0, "out", expected))
    for kind in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        for _ in range(100):
            run = subprocess.Popen(["gpuimg", "equalize", *arguments], stderr=subprocess.DEVNULL)
            time.sleep(rng.random() * whole)
            run.send_signal(kind)
            for problem in problems(kind, run.wait(), "out", expected):
                print(f"{kind.name}, {arguments}, seed {seed}: {problem}")
P
