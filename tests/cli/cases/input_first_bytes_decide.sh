# A file of zeros is refused by its first bytes, however long it is; so is a long file of a known other kind.
truncate -s 5G zeros.png
{ printf 'qoif'; head -c 100 /dev/zero; } >long.qoi && truncate -s 5G long.qoi
for name in zeros.png long.qoi; do
  expect 3 gpuimg equalize "$name" out.png
  expect 3 gpuimg hist "$name"
  expect 3 gpuimg integral "$name" out.npy
  ms=$(run_ms gpuimg hist "$name")
  [ "$ms" -lt 1500 ] || printf '%s took %d ms\n' "$name" "$ms"
done
