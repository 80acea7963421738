# A file of zeros is rejected by its first bytes within 0.1 s, however long the file is, even from a pipe. A long file
# of a known non-image kind is rejected as fast.
limit=100
[ "$GPUIMG_SANITIZED" = 0 ] || limit=1500
truncate -s 5G zeros.png
{ printf 'qoif'; head -c 100 /dev/zero; } >long.qoi && truncate -s 5G long.qoi
for name in zeros.png long.qoi; do
  expect 3 gpuimg equalize "$name" out.png
  expect 3 gpuimg hist "$name"
  expect 3 gpuimg integral "$name" out.npy
  # On a busy machine, the process can wait longer than 0.1 s for a processor.
  for command in "gpuimg hist $name" "cat $name | gpuimg hist -"; do
    for _ in {1..4}; do
      ms=$(run_ms sh -c "$command")
      [ "$ms" -ge "$limit" ] || break
    done
    [ "$ms" -lt "$limit" ] || printf '%s took %d ms\n' "$command" "$ms"
  done
done
