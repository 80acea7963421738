[ "$GPUIMG_SANITIZED" = 0 ] || { echo 'a sanitizer takes time and memory of its own'; exit 77; }
make_image bomb bomb.png 100000x100000
# 35 bytes that declare a screen of 32767x32767 and contain one pixel.
printf 'GIF89a\377\177\377\177\200\0\0\0\0\0\377\377\377,\0\0\0\0\1\0\1\0\0\2\2\104\1\0;' >bomb.gif
[ "$(stat -c %s bomb.gif)" -eq 35 ] || echo 'not 35 bytes'
printf "\x93NUMPY\1\0\x42\0{'descr': '<u2', 'fortran_order': False, 'shape': (32000, 32000)}\n" >bomb.npy
for file in bomb.png bomb.gif bomb.npy; do
  expect 3 gpuimg hist $file out.csv 2>/dev/null
  took=$(run_ms gpuimg hist $file out.csv)
  [ "$took" -lt 100 ] || echo "$file took $took ms"
done
# --max-pixels allows the size of this screen; only its frame takes memory.
printf 'GIF89a\0\100\0\040\200\0\0\0\0\0\377\377\377,\0\0\0\0\1\0\1\0\0\2\2\104\1\0;' >sparse.gif
gpuimg hist --max-pixels 200000000 --transparent count sparse.gif - | grep -v ',0$'
python3 - <<'P'
import resource, subprocess
for file in "bomb.png", "bomb.gif", "bomb.npy":
    subprocess.run(["gpuimg", "hist", file, "out.csv"], stderr=subprocess.DEVNULL)
subprocess.run(["gpuimg", "hist", "--max-pixels", "200000000", "sparse.gif", "sparse.csv"], check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("within 64 MB" if peak < 64 * 1024 else f"took {peak} KB")
P
