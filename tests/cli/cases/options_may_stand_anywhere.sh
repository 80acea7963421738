make_image png in.png 5x4
gpuimg --threads 2 --backend cpu equalize --formula cdf in.png a.png
gpuimg equalize in.png --threads=2 b.png --formula=cdf --backend cpu
gpuimg equalize in.png c.png --backend=cpu --threads 2 --formula cdf
gpuimg --formula cdf -o d.png --strength=1 equalize in.png
gpuimg --output-format=csv -q hist in.png - | head -n 1
cmp a.png b.png && cmp a.png c.png && cmp a.png d.png && ls
