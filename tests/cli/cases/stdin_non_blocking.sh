# Some programs pass on a non-blocking pipe; gpuimg must wait for its data.
make_image png in.png 40x40
gpuimg hist --bins 2 in.png >expected.csv
python3 - <<'PY'
import os, subprocess, time
take, give = os.pipe()
os.set_blocking(take, False)
run = subprocess.Popen(["gpuimg", "hist", "--bins", "2", "-"], stdin=take, stdout=open("got.csv", "wb"))
content = open("in.png", "rb").read()
for at in range(0, len(content), len(content) // 3 + 1):
    time.sleep(0.1)
    os.write(give, content[at:at + len(content) // 3 + 1])
os.close(give)
print(run.wait())
PY
cmp expected.csv got.csv
