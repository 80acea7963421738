for name in '' $(gpuimg --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p'); do
  expect 0 gpuimg $name --help >help.txt
  echo "$(grep -c '^Usage: gpuimg' help.txt) usage, $(awk 'length > 80' help.txt | wc -l) lines too long"
done | sort -u
