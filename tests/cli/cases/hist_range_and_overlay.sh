# hist --range: 12-bit data in 16 bits fills the plot, and 4095 counts as clipped. --overlay: images side by side. --log
# in the chart.
printf 'P5\n4 2\n65535\n\0\0\17\377\17\377\17\377\10\0\4\0\4\0\20\0' >sensor.pgm   # 0 4095×3 2048 1024×2 4096
gpuimg hist --chart --range 0,4095 sensor.pgm - | grep -v '│ *$'
gpuimg hist --chart --range auto sensor.pgm - | grep at
gpuimg hist --range 0,4095 sensor.pgm plot.svg && grep -o '[0-9.]*% at [a-z ]*[0-9]*' plot.svg
gpuimg hist --chart --range 0,4095 --log sensor.pgm - | sed -n 2,3p
echo "- the range limits plots, not data"
gpuimg hist --range 0,4095 sensor.pgm - | wc -l
expect 1 gpuimg hist --range 0,4095 --fail-if 'white>40%' sensor.pgm
expect 0 gpuimg hist --fail-if 'white>0%' sensor.pgm
echo "- bins divide the range"
gpuimg hist --range 0,4095 --bins 4 sensor.pgm -
gpuimg hist --range 1024,4095 --bins 3 --cumulative --json sensor.pgm - | grep -o '"range": [^a-z]*\|"from.*\|"values.*'
gpuimg hist --chart --range 0,4095 --bins 8 --log sensor.pgm - | grep -o 'heights are logarithmic'
echo "- overlay"
printf 'P5\n2 2\n255\n\0\100\100\377' >a.pgm
printf 'P6\n1 1\n255\n\200\200\200' >b.ppm
gpuimg hist -q --overlay a.pgm b.ppm -o - | grep -v '│ *$'
gpuimg hist -q --overlay a.pgm b.ppm -o both.svg && grep -c 'class="line i-[12]"' both.svg
for i in 1 2 3 4 5 6 7; do cp a.pgm c$i.pgm; done
expect 1 gpuimg hist -q --overlay . -o nine.svg
expect 3 gpuimg hist -q --overlay --force a.pgm sensor.pgm -o both.svg
echo "- a file under two names"
gpuimg hist -q --merge a.pgm ./a.pgm .//a.pgm -o sum.json && grep '"images"' sum.json
echo "- rejections"
for range in 4095 5,5 9,3 -1,5 0,70000 a,b 0,; do expect 2 gpuimg hist --chart --range=$range sensor.pgm -; done
expect 2 gpuimg hist --chart --range 0,4095 a.pgm -
expect 2 gpuimg hist --chart --range 0,255 --channel s a.pgm -
expect 2 gpuimg hist --range 0,5 --bins 8 a.pgm -
expect 2 gpuimg hist --overlay a.pgm b.ppm -o both.csv
expect 2 gpuimg hist --overlay --merge a.pgm b.ppm -o both.svg
expect 2 gpuimg hist --overlay --channel rgb a.pgm b.ppm -o both.svg
