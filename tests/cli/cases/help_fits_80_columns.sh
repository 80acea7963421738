# Every help text fits a terminal of 80 columns, and lists all exit codes and all choices of an option.
for name in $(gpuimg help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p'); do
  gpuimg help $name | awk -v name=$name 'length > 80 || /\[\]/ { print name ": " $0 }'  # also finds empty defaults
done
gpuimg help | awk 'length > 80'
gpuimg help | sed -n '/^Exit codes:/,/^$/s/^  \([0-9]\+\) .*/\1/p' | tr '\n' ' '
echo
choices() {  # choices SUBCOMMAND OPTION: choices listed below the option, and choices that the parser names
  local listed taken
  listed=$(gpuimg help $1 | sed -n "/^  $2 /,/^  [^ ]/p" | sed -n 's/^ \{26\}\([a-z0-9-]\+\)  .*/\1/p' | tr '\n' ' ')
  taken=$(gpuimg $1 $2 ? in.png out.png 2>&1 | sed "s/.* is not one of //; s/ (did.*//; s/,//g; s/ or / /")
  [ "$listed" = "$taken " ] || echo "$1 $2: $listed but $taken"
}
make_image png in.png 2x2
for option in --channel --luma --transparent --format; do choices hist $option; done
for option in --formula --color --luma --transparent --format --subsampling; do choices equalize $option; done
for option in --layout --type --channel --luma --border --format; do choices integral $option; done
for option in --encode --subsampling; do choices hsl $option; done
for option in --method --channel --luma; do choices threshold $option; done
