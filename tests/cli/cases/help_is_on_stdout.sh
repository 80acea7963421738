for words in --help "hist --help" "equalize --help" "integral --help" "hsl --help" "bench --help" "doctor --help"; do
  expect 0 gpuimg $words >help.txt
  echo "$words: $(head -c 1 help.txt | wc -l) $(grep -c 'Usage: gpuimg' help.txt)"
done
