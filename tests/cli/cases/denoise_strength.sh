# denoise: the default strength of 12-bit data in 16-bit files follows the range of the data; --sigma overrides it; a
# large search window causes a note before the work begins.
printf 'P5\n3 1\n65535\n\17\240\17\377\1\0' >sensor.pgm   # up to 4095
make_image png noisy.png 40x30 rgb 8
gpuimg denoise --search 3 sensor.pgm a.pgm
gpuimg denoise --search 3 --filter-strength 160.58824 sensor.pgm b.pgm && gpuimg compare a.pgm b.pgm
gpuimg denoise -v --search 3 --sigma 10 noisy.png c.png 2>&1 | grep noise
gpuimg denoise --search 3 --filter-strength 10 noisy.png d.png && gpuimg compare c.png d.png
gpuimg denoise -v --search 3 --sigma 100 sensor.pgm e.pgm 2>&1 | grep noise
gpuimg denoise -v --search 3 --sigma auto noisy.png f.png 2>&1 | grep -o 'noise.*(estimated)' | sed 's/[0-9.]\+/N/'
expect 2 gpuimg denoise --sigma 5 --filter-strength 5 noisy.png x.png
for sigma in -1 some nan; do expect 2 gpuimg denoise --sigma=$sigma noisy.png x.png; done
make_image png large.png 800x800 gray 8
expect 124 timeout 5 gpuimg denoise --backend cpu --threads 1 --search 999 large.png x.png
