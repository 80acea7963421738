for words in --help --version "hist --help" "hsl --help"; do
  took=$(run_ms gpuimg $words)
  # The limit is 100 ms; the additional time is for machines that are busy with other tests.
  [ "$took" -lt 300 ] || echo "gpuimg $words took $took ms"
done
