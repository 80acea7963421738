# Among many files such a one fails alone, as the usage error that it is; the options save it.
mkdir in
make_image png in/a.png 9x9
make_image png in/b.png 9x9 rgba
make_image png in/c.png 9x9 rgba 16
expect 1 gpuimg equalize -q --output-format jpg --manifest run.jsonl in out/ 2>&1
grep -o '"error": {"kind": "usage"' run.jsonl
ls out
gpuimg equalize -q --output-format jpg --background white --depth 8 in whole/
ls whole
# Each option decides bytes, and is in the hash of the parameters.
for options in --strip '--background white' '--background black' '--depth 8' '--quality keep'; do
  # shellcheck disable=SC2086
  gpuimg equalize -q $options --manifest hash.jsonl --force in hashed/ && sed -n '1s/.*"parameters": "\([^"]*\)".*/\1/p' hash.jsonl
done | sort -u | wc -l
