steps=$(gpuimg equalize a b --then 2>&1 | sed 's/.* of a step: //; s/;.*//; s/,//g; s/ or / /')
for name in $steps; do
  held=$(gpuimg $name --help | sed -n '/^Examples:/,$p' | grep -c "^  gpuimg $name ")
  [ "$held" = 4 ] || echo "$name: $held"
done
echo "$steps" | grep -c 'hist .* convert'
