make_image png in.png 9x9
: >empty.png
make_image cut in.png cut.png 60
make_image bomb bomb.png 100000x100000
echo text >text.png
touch exists.png
for words in "empty.png out.png" "cut.png out.png" "bomb.png out.png" "text.png out.png" "missing.png out.png" \
  "in.png exists.png" "in.png in.png" "in.png missing/out.png" "in.png in.png/out.png" "in.png out.xyz"; do
  gpuimg equalize $words >stdout.txt 2>stderr.txt
  echo "$?: $words: $(wc -l <stderr.txt) line, $(grep -c '^gpuimg: error: .*; .' stderr.txt) with what to do, $(wc -c <stdout.txt) bytes on stdout"
done
ls
