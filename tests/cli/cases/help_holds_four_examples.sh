for name in hist equalize integral hsl threshold denoise convert; do
  echo "$name: $(gpuimg $name --help | sed -n '/^Examples:/,$p' | grep -c "^  gpuimg $name ")"
done
