# compare: limits, a single number as output, difference pictures, hidden colors, tables of pairs with the worst pairs
# first, wrong options.
make_image png a.png 20x12 rgb 8
gpuimg convert -q a.png b.jpg
printf 'P5\n4 2\n255\n\0\1\2\3\4\5\6\7' >a.pgm
printf 'P5\n4 2\n255\n\0\1\2\3\4\5\10\7' >b.pgm
expect 0 gpuimg compare a.pgm b.pgm --max-differing 1
expect 0 gpuimg compare a.pgm b.pgm --max-differing 12.5% --min-psnr 51.1
expect 7 gpuimg compare a.pgm b.pgm --max-differing 12.4% --min-psnr 60
expect 7 gpuimg compare a.pgm b.pgm --max-differing 0
expect 0 gpuimg compare a.pgm a.pgm --max-differing 0
expect 0 gpuimg compare --json a.pgm b.pgm --min-psnr 50 | grep -e status -e within -e ssim
echo "- SSIM"
expect 3 gpuimg compare a.pgm b.pgm --min-ssim 0.5
gpuimg compare -q a.png a.png --min-ssim 1
expect 7 gpuimg compare -q a.png b.jpg --min-ssim 1
gpuimg compare --metric ssim a.png a.png
gpuimg compare --metric psnr a.png a.png
expect 7 gpuimg compare --metric mse a.pgm b.pgm
expect 7 gpuimg compare --metric differing a.pgm b.pgm
expect 7 gpuimg compare --metric ssim a.pgm b.pgm
echo "- histograms"
expect 7 gpuimg compare --histogram a.pgm b.pgm | grep histograms
echo "- hidden colors"
printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\1\2\3\0\4\5\6\377' >hidden.pam
printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\7\7\7\0\4\5\6\377' >other.pam
expect 7 gpuimg compare -q hidden.pam other.pam
expect 0 gpuimg compare hidden.pam other.pam --transparent skip
echo "- pictures"
expect 7 gpuimg compare -q a.pgm b.pgm red.ppm --side-by-side beside.ppm
tail -c 24 red.ppm | od -An -tu1 -w12
gpuimg info beside.ppm | grep ^size
expect 7 gpuimg compare -q a.pgm b.pgm times.pgm --amplify 100
tail -c 8 times.pgm | od -An -tu1
expect 4 gpuimg compare -q a.pgm b.pgm times.pgm
expect 7 gpuimg compare --json --force a.pgm b.pgm red.ppm 2>/dev/null | grep picture
expect 2 gpuimg compare a.pgm b.pgm out.txt
expect 2 gpuimg compare a.pgm b.pgm -
expect 7 gpuimg compare a.pgm a.png none.png
ls none.png 2>/dev/null
echo "- folders"
mkdir A B
cp a.pgm A/1.pgm && cp b.pgm B/1.pgm
cp a.pgm A/2.pgm && printf 'P5\n4 2\n255\n\0\0\0\0\0\0\0\0' >B/2.pgm
cp a.pgm A/3.pgm && cp a.pgm B/3.pgm
cp a.pgm A/4.pgm && cp a.png B/4.png
cp a.pgm A/only.pgm
expect 7 gpuimg compare A B 2>/dev/null | cut -c 1-40
expect 7 gpuimg compare -q A B pairs.csv 2>/dev/null
cut -d, -f 1-10 pairs.csv
expect 7 gpuimg compare -q --metric differing A B pairs.jsonl 2>/dev/null
cut -c 1-60 pairs.jsonl
rm A/only.pgm A/4.pgm B/4.png
expect 0 gpuimg compare --min-psnr 30 A B 2>/dev/null
expect 7 gpuimg compare --min-psnr 40 A B 2>/dev/null | cut -c 1-80
expect 2 gpuimg compare A B pairs.png
echo "- rejections"
for option in '--max-differing x' '--max-differing 101%' '--max-differing 1.5' '--min-ssim 2' '--min-psnr -1' '--amplify 0' \
  '--metric psrn' '--transparent no'; do
  expect 2 gpuimg compare a.pgm b.pgm $option
done
gpuimg compare a.pgm a.pgm --amplify 3 2>&1 | grep note
