# If the reader of the output closes the pipe, failures are still reported, with their exit code. Every command reports
# a full disk.
make_image png good.png 9x9
make_image cut good.png broken.png 60
gpuimg equalize --quiet --manifest m good.png broken.png out/ 2>/dev/null
{ sleep 0.3; gpuimg report m; echo "report: $?" >codes; } | true
{ sleep 0.3; gpuimg hist --merge --quiet good.png broken.png -; echo "merge: $?" >>codes; } | true
{ sleep 0.3; gpuimg --version; echo "version: $?" >>codes; } | true
cat codes
for name in --version --help 'hist --help' doctor; do
  expect 4 gpuimg $name >/dev/full
done
expect 4 gpuimg bench --json --size 4 >/dev/full
