# hist --fail-if: exit code 1 and one line; every statistic; any channel; folders, sums and tables; wrong conditions.
printf 'P5\n4 5\n255\n\0\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\377' >a.pgm   # 2 of 20 at 0, 1 at 255
printf 'P6\n2 1\n255\n\12\24\36\12\24\377' >rgb.ppm
printf 'P5\n2 1\n65535\n\0\0\200\0' >deep.pgm
holds() { gpuimg hist "$@" 2>/dev/null && echo "$2 does not hold" || echo "$2 holds"; }
for check in 'clipped>14.9%' 'clipped>=0.15' 'clipped>15%' 'black > 0.1' 'black>=10%' 'white<5%' 'white<=5%' \
  'mean>20.6' 'mean<10%' 'min<=0' 'max>=100%' 'median<8' 'p1>0' 'p5>0' 'p25<=3' 'p75>=14' 'p95>17' 'p99>=18' 'mode>0' \
  'stddev>50' 'entropy<4.25'; do
  holds --fail-if "$check" a.pgm
done
holds --fail-if 'mean>49%' deep.pgm
holds --fail-if 'mean>25%' deep.pgm
echo "- size and kind"
for check in 'width<4' 'width>=4' 'height>4' 'height<5' 'channels<3' 'channels>1' 'bits>8' 'bits<=8' 'pages>1' 'pages<=1'; do
  holds --fail-if "$check" a.pgm
done
holds --fail-if 'bits>8' deep.pgm
expect 1 gpuimg hist -q --fail-if 'width<640' --table a.pgm a.pgm.csv
echo "- channels"
expect 1 gpuimg hist --fail-if 'white>1%' --channel rgb rgb.ppm
expect 0 gpuimg hist --fail-if 'white>1%' rgb.ppm
expect 1 gpuimg hist --fail-if 'max>0.9' --channel s rgb.ppm
echo "- an image that fails gets no output"
expect 1 gpuimg hist --fail-if 'black>1%' --fail-if 'mean>300' a.pgm a.csv
expect 0 gpuimg hist --fail-if 'black>20%' --fail-if 'mean>300' a.pgm a.csv
ls
echo "- folders and sums"
mkdir in && cp a.pgm rgb.ppm in
expect 1 gpuimg hist --fail-if 'black>1%' in 2>errors
sed 's/ in .* s .*//' errors >&2
expect 0 gpuimg hist -q --fail-if 'black>11%' in
expect 1 gpuimg hist -q --merge --fail-if 'black>9%' in sum.csv
expect 0 gpuimg hist -q --merge --fail-if 'black>10%' in sum.csv
ls sum.csv
echo "- rejections"
for check in clipped 'clipped>' 'cliped>1%' 'clipped>5' 'entropy>5%' 'mean=3' 'mean>1e999' '>3'; do
  expect 2 gpuimg hist --fail-if "$check" a.pgm
done
expect 2 gpuimg hist --fail-if 'mean>3' --channel h a.pgm
expect 2 gpuimg hist --fail-if 'width<50%' a.pgm
expect 2 gpuimg hist --fail-if 'width<50' --merge a.pgm sum.csv
