# Typical first mistakes. Each gets one line with the fault and the remedy, and the right exit code; notes may come in
# addition. No existing file changes.
make_image png photo.png 8x6
make_image png gray.png 8x6 gray
make_image png alpha.png 8x6 rgba 16
gpuimg equalize photo.png photo.jpg
mkdir photos empty documents
cp photo.png photos/a.png
cp photo.jpg photos/b.jpg
echo 'Dear diary' >text.png
echo 'Dear diary' >documents/letter.txt
: >nothing.png
head -c 60 photo.png >cut.png
echo '{}' >other.json
find . -type f -exec sha256sum {} + | sort >../before.txt

mistakes=0
mistake() {  # mistake CODE WORDS…: runs gpuimg WORDS; prints WORDS and the messages
  local expected=$1 code errors
  shift
  mistakes=$((mistakes + 1))
  gpuimg "$@" </dev/null >../said.out 2>../said.txt
  code=$?
  printf '%d  gpuimg' $code
  printf ' %s' "$@"
  printf '\n'
  sed 's/^gpuimg: /     /; s/name one of hist.*version;/name one of them;/' ../said.txt
  [ $code -eq "$expected" ] || echo "     THE EXIT CODE IS NOT $expected"
  errors=$(grep -vc '^gpuimg: note: ' ../said.txt)
  [ "$errors" -eq 1 ] || echo "     $errors LINES IN PLACE OF ONE"
}

echo '--- subcommands'
mistake 2
mistake 2 photo.png
mistake 2 photo.png out.png
mistake 2 photo.png equalize out.png
mistake 2 ./photos
mistake 2 histogram photo.png
mistake 2 equalise photo.png out.png
mistake 2 Equalize photo.png out.png
mistake 2 --equalize photo.png out.png
mistake 2 grayscale photo.png out.png
mistake 2 help equalise
mistake 3 equalize hist photo.png out.png

echo '--- IN and OUT'
mistake 2 equalize
mistake 2 equalize photo.png
mistake 2 integral photo.png
mistake 2 hsl --hue 20 photo.png
mistake 4 equalize photo.png photo.jpg
mistake 4 equalize photo.png photo.png
mistake 2 equalize photo.png out
mistake 2 equalize photo.png out.gif
mistake 2 equalize photo.png out.jxl
mistake 2 equalize photo.png out.png.
mistake 2 integral photo.png out.jpg
mistake 2 integral photo.png out.txt
mistake 2 hsl photo.png out.jpg
mistake 2 hist photo.png out.xlsx
mistake 2 hist --chart photo.png plot.png
mistake 4 hist --chart --force photo.png -o photos/a.png
mistake 2 hist photo.png gray.png out.csv
mistake 2 equalize photo.png gray.png out.png
mistake 2 equalize photo.png gray.png -
mistake 2 hist --format svg photos
mistake 4 equalize photo.png missing/out.png
mistake 4 equalize photo.png out.png/out.png
mistake 3 equalize missing.png out.png
mistake 3 equalize 'C:\Users\me\photo.png' out.png
mistake 3 equalize photo.png --force out.png extra.png photos
mistake 3 equalize '*.jpeg' out.png
mistake 3 equalize empty out/
mistake 3 equalize documents out/
mistake 3 hist text.png
mistake 3 equalize nothing.png out.png
mistake 3 equalize cut.png out.png
mistake 3 hist documents/letter.txt
mistake 3 equalize - out.png
mistake 2 equalize photo.png alpha.png -o out.png

echo '--- options'
mistake 2 equalize photo.png out.png --colour rgb
mistake 2 equalize photo.png out.png --Color rgb
mistake 2 equalize photo.png out.png -c rgb
mistake 2 equalize photo.png out.png -color rgb
mistake 2 equalize photo.png out.png --formula
mistake 2 equalize photo.png out.png --formula=
mistake 2 equalize photo.png out.png --overwrite
mistake 2 equalize photo.png out.png --bins 64
mistake 2 hist photo.png --strength 0.5
mistake 2 integral photo.png out.png --quality 80
mistake 2 equalize photos --outdir out
mistake 2 equalize photo.png out.png --force=maybe
mistake 2 equalize photo.png out.png --quiet --verbose
mistake 2 hist photo.png --chart --format json
mistake 2 equalize photo.png out.png --null

echo '--- values'
mistake 2 equalize photo.png out.png --color red
mistake 2 equalize photo.png out.png --color RGB
mistake 2 equalize photo.png out.png --formula OpenCV
mistake 3 equalize photo.png out.png --formula opencv cdf
mistake 2 equalize photo.png out.png --formula opencv --formula cdf
mistake 2 equalize photo.png out.png --strength 50%
mistake 2 equalize photo.png out.png --strength 50
mistake 2 equalize photo.png out.png --strength -1
mistake 2 equalize photo.png out.png --strength 0,5
mistake 2 equalize photo.png out.jpg --quality 0
mistake 2 equalize photo.png out.jpg --quality high
mistake 2 equalize photo.png out.png --roi 10,10
mistake 2 equalize photo.png out.png --roi 8x6
mistake 2 equalize photo.png out.png --roi 0,0,100,100
mistake 2 equalize photo.png out.png --threads 0
mistake 2 equalize photo.png out.png --threads -1
mistake 2 equalize photo.png out.png --jobs all
mistake 2 equalize photo.png out.png --max-memory 2XB
mistake 2 equalize photo.png out.png --max-memory lots
mistake 2 equalize photo.png out.png --backend gpu
mistake 2 equalize photo.png out.png --format heic
mistake 2 equalize photos --output '{stem}{extension}'
mistake 2 hist photo.png --channel red
mistake 2 hist photo.png --channel R
mistake 2 hist photo.png --channel rgba
mistake 2 hist photo.png --bins 1
mistake 2 hist photo.png --bins 1e3
mistake 2 integral photo.png out.npy --type int32
mistake 2 integral photo.png out.npy --channel rgb
mistake 2 hsl photo.png out.png --encode hsv
mistake 2 hsl photo.png out.png --saturation more
mistake 2 hsl photo.png out.png --saturation -0.5
mistake 2 hsl photo.png out.png --inverse
mistake 3 equalize photo.png out.png --reference other.json
mistake 3 equalize photo.png out.png --mask missing.png
mistake 3 report run.jsonl
mistake 3 report photo.png
mistake 2 report
mistake 2 doctor photo.png

rm -f ../said.out ../said.txt
find . -type f -exec sha256sum {} + | sort | diff ../before.txt - && echo "$mistakes mistakes, and every file is as it was"
