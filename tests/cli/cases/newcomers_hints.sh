# Words of other tools, and first attempts with folders. One line suggests the command that was probably meant. Each
# attempt has the right exit code, and no existing file changes.
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
hint() {  # hint CODE WORDS…: runs gpuimg WORDS; prints WORDS and the one line that helps
  local expected=$1 code lines
  shift
  hints=$((hints + 1))
  gpuimg "$@" </dev/null >../said.out 2>../said.txt
  code=$?
  printf '%d  gpuimg' $code
  printf ' %s' "$@"
  printf '\n'
  [ $code -eq "$expected" ] || echo "     THE EXIT CODE IS NOT $expected"
  grep -E '^gpuimg: (error|note): ' ../said.txt | grep -v ' skipped 1 file: no extension' | sed 's/^gpuimg: /     /'
  lines=$(grep -E '^gpuimg: (error|note): ' ../said.txt | grep -vc ' skipped 1 file: no extension')
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

echo '--- sizes'
hint 2 resize 800 photo.png new.png
hint 2 resize photo.png new.png --width 800
hint 2 resize photo.png new.png --width=800 --height 600
hint 2 resize photo.png new.png --height 600
hint 2 resize photo.png new.png --size 800
hint 2 resize photo.png new.png --size 800px
hint 2 resize photo.png new.png --size '800x600!'
hint 2 resize photo.png new.png --max-size 800
hint 2 resize photo.png new.png --interpolation area
hint 2 resize photo.png new.png --upscale
hint 0 resize photo.png new.png --size 800x
hint 0 resize photo.png new.png --size 150%
hint 2 resize photo.png new.png --size 4x4 --fit fill
hint 2 thumbnail photo.png new.png
hint 2 upscale photo.png new.png
hint 2 crop photo.png new.png --size
hint 2 crop photo.png new.png --size 50%
hint 2 crop photo.png new.png --size 4x4 --center
hint 2 crop photo.png new.png --size 4x4 --gravity top
hint 2 crop photo.png new.png --roi 1,1,4,4
hint 2 crop photo.png new.png --box 4x4+1+1
hint 2 crop photo.png new.png --size 800x600

echo '--- turns'
hint 2 rotate photo.png new.png 90
hint 2 rotate photo.png new.png
hint 2 rotate 45 photo.png new.png
hint 2 rotate --angle 90 photo.png new.png
hint 2 flip photo.png new.png
hint 2 flip --horizontal photo.png new.png
hint 2 mirror photo.png new.png

echo '--- convert'
hint 2 convert photo.png jpg
hint 2 convert photo.png new.jpg -quality 80
hint 2 convert photo.png -resize 50% new.jpg
hint 2 convert photo.png new.png --grayscale
hint 0 convert photo.png new.png --quality 80
hint 2 convert photo.png new.jpg --depth 16

echo '--- several steps'
hint 2 --then threshold photo.png new.png
hint 2 equalize photo.png new.png --then
hint 2 equalize photo.png new.png --then --clahe
hint 2 equalize photo.png new.png --then=threshold
hint 2 equalize photo.png new.png --then blur
hint 2 equalize photo.png new.png --then threshhold
hint 2 equalize photo.png new.png --then 'resize --size 50%'
hint 2 equalize photo.png new.png --then resize 50%
hint 2 equalize photo.png new.png --then rotate
hint 2 equalize photo.png new.png --then rotate 45
hint 2 equalize photo.png --then threshold new.png
hint 2 equalize photo.png new.png --then compare
hint 2 hist photo.png new.csv --then equalize
hint 2 equalize photo.png new.png --clahe --then threshold --clip 3
hint 0 crop photo.png new.png --size 4x4 --then resize --size 8x

rm -f ../said.out ../said.txt
find . -type f -exec sha256sum {} + | sort | diff ../before.txt - && echo "$hints hints, and every file is as it was"
