for words in --help --version "hist --help" "hsl --help"; do
  took=$(run_ms gpuimg $words)
  # 100 ms are promised; the rest is for machines busy with other tests.
  [ "$took" -lt 300 ] || echo "gpuimg $words took $took ms"
done
