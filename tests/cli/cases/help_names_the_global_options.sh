for name in hist equalize integral hsl bench doctor; do
  gpuimg $name --help | tr '\n' ' ' | grep -q "Global options, .* see 'gpuimg --help'" || echo "$name --help does not say where they are"
done
gpuimg --help | sed '/^Exit codes:/,$d' | grep -o -e '--[a-z-]*' | sort -u | tr '\n' ' '
