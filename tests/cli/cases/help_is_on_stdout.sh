for words in --help "hist --help" "equalize --help" "integral --help" "hsl --help" "threshold --help" "denoise --help" "convert --help" "info --help" "bench --help" "doctor --help"; do
  expect 0 gpuimg $words >help.txt
  echo "$words: $(grep -c '^Usage: gpuimg' help.txt) usage, $(awk 'length > 80' help.txt | wc -l) lines too long"
done
