expect 2 gpuimg equalise in.png out.png
expect 2 gpuimg hsit in.png
expect 2 gpuimg frobnicate in.png
gpuimg --backend cpu hls in.png out.png
