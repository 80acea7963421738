# Two inputs would have one output. The message suggests an option to use instead of OUT; that option must work.
mkdir -p in/sub "it's" more
make_image png in/a.png 9x9
make_image gif in/a.gif 9x9
cp in/a.png in/b.png
cp in/a.png in/sub/c.png
cp in/a.png in/sub/c.apng
cp in/a.* more
hint() { sed -n 's/.* use \(--output .*\)/\1/p'; }
try() {  # try OPERATION IN… -- OUT
  local operation=$1 out=${*: -1}
  local -a names=("${@:2:$#-3}")
  local pasted
  pasted=$(gpuimg "$operation" -r "${names[@]}" -- "$out" 2>&1 | hint)
  echo "$operation: $pasted"
  eval "gpuimg $operation -q -r ${names[*]@Q} $pasted" || echo "exit $?"
}
try hist in -- out
try equalize in -- ./out2/
try integral in -- "it's {new}"
try hsl in -- $'tab\t\xff'
try hist in -- -dash
try hist in more -- twice
find . -mindepth 2 -type f -not -path './in/*' -not -path './more/*' | LC_ALL=C sort | cat -v
again=$(gpuimg hist -r in --output 'out3/{rel}/{stem}.csv' 2>&1 | hint)
echo "$again"
eval "gpuimg hist -q -r in $again" && ls out3
expect 2 gpuimg equalize in/a.gif in/a.png in/b.png --in-place
