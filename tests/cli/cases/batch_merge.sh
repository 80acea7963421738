# The sum of --merge is exact, does not depend on the order of the inputs, and can include earlier sums. An input that
# cannot be added is left out and counts as failed.
mkdir in
for i in 1 2 3; do make_image png in/$i.png 2${i}x30 rgb 8 $i; done
gpuimg hist -q --merge in total.json
gpuimg hist -q --merge in/1.png in/2.png part.json
gpuimg hist -q --merge part.json in/3.png again.json && cmp total.json again.json && grep '"images"\|"image"\|"counted"' total.json
gpuimg hist -q --merge in - | tail -n +2 | awk -F, '{ n += $2 } END { print n }'
make_image png in/4.png 9x9 rgb 16
expect 1 gpuimg hist -q --merge in total.csv
cp total.json in/
expect 4 gpuimg hist -q --merge in in/total.json
rm in/total.json
expect 1 gpuimg hist -q --merge --channel rgb part.json in/1.png rgb.json
expect 4 gpuimg hist -q --merge in total.json
