make_image png in.png 80x80
gpuimg hist --chart in.png pipe.txt
LC_ALL=C TERM=dumb gpuimg hist --chart in.png ascii.txt
on_terminal 33 gpuimg hist --chart in.png terminal.txt
cmp pipe.txt ascii.txt
cmp pipe.txt terminal.txt
