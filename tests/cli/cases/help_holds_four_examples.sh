for name in hist equalize integral hsl threshold denoise; do
  echo "$name: $(gpuimg $name --help | sed -n '/^Examples:/,$p' | grep -c "^  gpuimg $name ")"
done
