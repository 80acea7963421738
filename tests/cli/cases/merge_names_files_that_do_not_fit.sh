# Every file except luma.json is rejected by name, with the difference. The sum consists of the remaining files.
make_image png in.png 9x9 rgb 8
make_image png deep.png 9x9 rgb 16
gpuimg hist in.png luma.json
gpuimg hist deep.png m16.json
gpuimg hist --channel rgb in.png rgb.json
gpuimg hist --luma bt709 in.png bt709.json
gpuimg hist --transparent count in.png opaque.json
gpuimg hist --channel h in.png a_hue.json
gpuimg hist --channel h --bins 16 in.png hue16.json
sed 's/"counted": 81/"counted": 80/' luma.json >sum.json
sed 's/"schema": 1/"schema": 2/' luma.json >schema.json
sed 's/"luma": "bt601"/"luma": "bt602"/' luma.json >formula.json
sed 's/"skipped": 0,//' luma.json >missing.json
head -c 300 luma.json >cut.json
for file in m16 rgb bt709 opaque sum schema formula missing cut; do
  expect 1 gpuimg hist -q --merge luma.json $file.json $file.out.json
  grep '"images"' $file.out.json
done
expect 1 gpuimg hist -q --merge --channel h a_hue.json hue16.json hue.out.json
