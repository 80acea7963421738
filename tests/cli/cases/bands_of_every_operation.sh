# Images that do not fit in --max-memory are processed from file to file in bands. The results equal those of whole
# images.
limit=36M # gpuimg itself takes up to 14 MB of this; one image takes 31 MB
[ "$GPUIMG_SANITIZED" = 0 ] || limit=1G # the sanitizer's memory counts too, so the whole image fits
make_image png from.png 3500x3000 rgb
gpuimg equalize --strength 0 -q from.png from.jpg
make_image png alpha 2800x2900 rgba && mv alpha from.alpha
gpuimg equalize --lut lut.csv -q from.png first.png
while read -r in out operation; do
  gpuimg $operation --backend cpu -q from.$in whole.$out
  expect 0 gpuimg $operation --backend cpu -q --max-memory $limit from.$in bands.$out
  cmp whole.$out bands.$out || echo "$operation $in $out"
  rm -f whole.$out bands.$out
done <<'LIST'
png png equalize
png jpg equalize --color rgb --formula stretch
png pnm equalize --depth 16 --strength 0.5
jpg png equalize --clahe --tiles 3x5
jpg jpg equalize --quality keep
png png equalize --apply lut.csv
png png equalize --match from.jpg --roi 100,200,3000,2000
png png hsl
jpg jpg hsl --hue 20
png png threshold
png pbm threshold --method sauvola --window 31
png png integral --mean 25
jpg npy integral --deviation 9
png png denoise --patch 1 --search 3
png png resize --size 900x
jpg png resize --size 1500x1500 --fit pad --filter lanczos --box 100.5,200,3000,2500
png jpg resize --size 700x800 --fit cover --filter nearest
png png crop --box 1000,900,2400,2000
png jpg flip horizontal
alpha png integral --mean 25
alpha png threshold --method sauvola --window 31
alpha png threshold --method wolf --window 31 --roi 300,500,2000,1500
alpha png threshold --flatten 9x15 --classes 3
png pbm threshold --method wolf --window 31
png pbm threshold --method nick --window 31
jpg jpg threshold --classes 4
png png threshold --flatten 15
alpha png denoise --patch 1 --search 3
alpha png resize --size 900x
LIST
# Several steps. If a later step needs a pass over the whole image first, the earlier steps are computed again.
while IFS='|' read -r first rest; do
  gpuimg $first --backend cpu -q from.png between.png && gpuimg $rest --backend cpu -q between.png single.png
  expect 0 gpuimg $first --backend cpu -q --max-memory $limit from.png bands.png --then $rest
  cmp single.png bands.png || echo "$first $rest"
  rm -f between.png single.png bands.png
done <<'LIST'
denoise --patch 1 --search 3 --filter-strength 10|integral --mean 25
hsl --hue 20|threshold --method sauvola --window 31
hsl --hue 20|threshold --method wolf --window 31
convert|hsl --saturation 1.2
integral --mean 15|equalize
denoise --patch 1 --search 3|threshold
threshold --value 40%|despeckle --size 3 --color both
resize --size 2500x|equalize --clahe --tiles 3x5
equalize --roi 100,200,300,2000|equalize --formula stretch
LIST
gpuimg equalize -q from.png between.png && gpuimg hist -q between.png single.csv
expect 0 gpuimg equalize --backend cpu -q --max-memory $limit from.png bands.csv --then hist
sed 's/between/from/' single.csv | cmp - bands.csv || echo "equalize hist"
if [ "$GPUIMG_SANITIZED" = 0 ]; then # the last row comes first, so the image must be kept in memory
  expect 6 gpuimg equalize --backend cpu -q --max-memory $limit from.png turned.out.png --then rotate 90 2>rejected.txt
  grep -q "give --max-memory" rejected.txt || cat rejected.txt
fi
expect 6 gpuimg equalize --backend cpu --max-memory 4M from.png out.png 2>rejected.txt
grep -q "give --max-memory" rejected.txt || cat rejected.txt
find . -name '*out*'
