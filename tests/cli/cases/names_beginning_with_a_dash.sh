make_image png ./-in.png 5x5
gpuimg equalize -- -in.png -out.png
gpuimg hist --bins 2 -- -out.png >/dev/null
gpuimg equalize ./-in.png ./-again.png
ls -- -*
