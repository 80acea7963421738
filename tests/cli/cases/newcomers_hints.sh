# What people who know other tools type, and what they try with folders: one line says what is meant, or what to do. Each
# has the right exit code, and nothing that exists is changed.
make_image png photo.png 8x6
make_image png alpha.png 8x6 rgba
gpuimg equalize photo.png photo.jpg
gpuimg equalize photo.png photo.bmp
mkdir -p a b c data/sub e pages
cp photo.png a/x.png
cp photo.jpg a/x.jpg
cp alpha.png b/x.png
cp photo.png c/y.png
cp photo.png data/1.png
cp alpha.png data/sub/2.png
cp photo.bmp pages/scan.bmp
echo 'Dear diary' >e/letter.txt
gpuimg -q equalize data done/ --manifest run.jsonl
cp run.jsonl c/
find . -type f -exec sha256sum {} + | sort >../before.txt

hints=0
hint() {  # hint CODE WORDS…: runs gpuimg WORDS; prints them, and the one line of what was said that helps
  local expected=$1 code lines
  shift
  hints=$((hints + 1))
  gpuimg "$@" </dev/null >../said.out 2>../said.txt
  code=$?
  printf '%d  gpuimg' $code
  printf ' %s' "$@"
  printf '\n'
  [ $code -eq "$expected" ] || echo "     THE EXIT CODE IS NOT $expected"
  grep -E '^gpuimg: (error|note): ' ../said.txt | grep -v ' skipped 1 file: without the ending' | sed 's/^gpuimg: /     /'
  lines=$(grep -E '^gpuimg: (error|note): ' ../said.txt | grep -vc ' skipped 1 file: without the ending')
  [ "$lines" -eq 1 ] || echo "     $lines LINES IN PLACE OF ONE"
  rm -rf new*
}

echo '--- subcommands of other tools'
hint 2 binarize photo.png new.png
hint 2 otsu photo.png new.png
hint 2 clahe photo.png new.png
hint 2 levels photo.png new.png
hint 2 auto-level photo.png new.png
hint 2 autocontrast photo.png new.png
hint 2 blur photo.png new.png
hint 2 stats photo.png
hint 2 contrast photo.png new.png

echo '--- options of other tools'
hint 2 equalize photo.png new.png --resize 50%
hint 2 equalize photo.png new.png --rotate 90
hint 2 equalize photo.png new.png --stretch
hint 2 equalize photo.png new.png --auto
hint 2 equalize photo.png new.png --auto-level
hint 2 equalize photo.png new.png --levels
hint 2 equalize photo.png new.png --blur 3
hint 2 equalize photo.png new.png --threshold 128
hint 2 equalize photo.png new.jpg --progressive
hint 2 equalize photo.png new.png --clahe --clip-limit 2
hint 2 equalize photo.png new.png --clahe --cliplimit 2
hint 2 denoise photo.png new.png --h 10
hint 2 resize photo.png new.png --scale 50%
hint 2 hsl photo.png new.png --h 10
hint 2 threshold photo.png new.png --threshold 128
hint 2 equalize photo.png new.jpg -q 80
hint 2 equalize photo.png new.jpg -q80
hint 2 equalize photo.png new.jpg -q=80

echo '--- values'
hint 2 threshold photo.png new.png --method mean --offset 2%
hint 2 threshold photo.png new.png --method sauvola --k 20%
hint 2 denoise photo.png new.png --filter-strength 10%
hint 2 equalize photo.png new.png --strength 50%
hint 2 hsl photo.png new.png --hue 10%
hint 2 hsl photo.png new.png --saturation +x%
hint 2 hsl photo.png new.png --saturation %
hint 2 hsl photo.png new.png --saturation -115%
hint 0 hsl photo.png new.png --saturation 115
hint 0 hsl photo.png new.png --lightness 5
hint 2 equalize photo.png new.png --max-memory 30XB
hint 2 equalize photo.png new.png --max-memory 0.5
hint 2 equalize photo.png new.png --max-memory 1,5G

echo '--- several files'
hint 3 equalize photo.png missing.png new.png
hint 3 equalize missing.png photo.png new
hint 3 hist missing.png photo.png new.csv
hint 2 hist a/ b/ c/ --table
hint 2 hist a b --merge
hint 2 hist a b --overlay
hint 0 hist c
hint 0 hist -r data
hint 2 equalize a b new/
hint 2 equalize a new/ --format png
hint 2 equalize a --output 'new/{stem}.png'
hint 4 equalize a a
hint 4 equalize data ./data/
hint 4 threshold -r pages pages
hint 0 equalize a new/ --include '*.png'
hint 0 equalize a new/ --exclude '*.png'
hint 0 threshold photo.png new.jpg
hint 3 report a
hint 3 report e missing.jsonl
hint 4 equalize -r data done/ --manifest run.jsonl

rm -f ../said.out ../said.txt
find . -type f -exec sha256sum {} + | sort | diff ../before.txt - && echo "$hints hints, and every file is as it was"
