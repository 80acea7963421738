# Reds of 0°, 6° and 354°: their linear mean is 120°, which is green.
printf 'P6\n3 1\n255\n\377\0\0\377\31\0\377\0\31' >reds.ppm
# Red and cyan, green and magenta: opposite hues have no mean.
printf 'P6\n4 1\n255\n\377\0\0\0\377\377\0\377\0\377\0\377' >opposite.ppm
for image in reds opposite; do
  gpuimg hist --channel h --chart "$image.ppm" | tail -2
  gpuimg hist --channel h "$image.ppm" "$image.svg"
  grep -o '>hue: .*<' "$image.svg"
  gpuimg hist --channel h "$image.ppm" "$image.json"
  python3 -c "
import json
statistics = json.load(open('$image.json'))['histograms'][0]['statistics']
print({key: statistics[key] for key in ('circular', 'mean', 'stddev', 'min', 'max', 'median', 'percentiles')})"
done
gpuimg hist reds.ppm luma.json
grep -c circular luma.json
exit 0
