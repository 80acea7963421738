# `help X` prints the same as `X --help`, and `version` the same as --version. An unknown name gets a suggestion.
gpuimg --help >asked.txt && gpuimg help | cmp asked.txt - && gpuimg -h | cmp asked.txt -
gpuimg --version >version.txt && gpuimg version | cmp version.txt - && gpuimg -V | cmp version.txt -
names=$(gpuimg help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p')
for name in $names; do
  gpuimg $name --help >asked.txt && gpuimg help $name | cmp asked.txt - && gpuimg $name -h | cmp asked.txt - || echo "$name"
done
echo $names | grep -c '^hist .* version$'
expect 2 gpuimg help equalise
expect 2 gpuimg help frobnicate
expect 2 gpuimg help hist equalize
