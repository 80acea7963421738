for name in hist equalize integral hsl; do
  gpuimg $name --help >help.txt
  for option in --backend --threads --device --max-pixels --timing --json --force --in-place --quiet --verbose --verify; do
    grep -q -e "$option" help.txt || echo "$name --help does not name $option"
  done
done
