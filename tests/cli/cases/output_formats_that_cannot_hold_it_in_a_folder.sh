# In a folder run, only the image that the format cannot hold fails, as a usage error. Conversion options make it
# succeed.
mkdir in
make_image png in/a.png 9x9
make_image png in/b.png 9x9 rgba
make_image png in/c.png 9x9 rgba 16
expect 1 gpuimg equalize -q --output-format jpg --manifest run.jsonl in out/ 2>&1
grep -o '"error": {"kind": "usage"' run.jsonl
ls out
gpuimg equalize -q --output-format jpg --background white --depth 8 in whole/
ls whole
# Each of these options changes the output, so the hash of the parameters includes it.
for options in --strip '--background white' '--background black' '--depth 8' '--quality keep'; do
  # shellcheck disable=SC2086
  gpuimg equalize -q $options --manifest hash.jsonl --force in hashed/ && sed -n '1s/.*"parameters": "\([^"]*\)".*/\1/p' hash.jsonl
done | sort -u | wc -l
