# The time for all pages of a file is linear in their number: eight times the pages take less than twenty times as long.
# CPU time is measured, so a busy machine does not matter.
gpuimg --version | grep -q 'libtiff [0-9]' || { echo "this gpuimg cannot read TIFF"; exit 77; }
make_image tif few.tif 4x4 200
make_image tif many.tif 4x4 1600
python3 - <<'P'
import resource
import subprocess


def seconds(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["gpuimg", *command], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(what, command):
    few, many = (seconds(*(word.format(name) for word in command.split())) for name in ("few", "many"))
    print(what, "is linear" if many < 20 * few else f"is not linear: {few:.2f} s and {many:.2f} s")


compare("hist --merge", "hist -q --page all --merge {0}.tif {0}.csv")
compare("equalize", "equalize -q --page all {0}.tif {0}/")
compare("compare", "compare {0}.tif {0}.tif")
P
