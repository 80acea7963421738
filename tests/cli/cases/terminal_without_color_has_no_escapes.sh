make_image png in.png 8x8
export NO_COLOR=1
on_terminal 40 gpuimg hist --channel rgb in.png | grep -c $'\e'
on_terminal 40 gpuimg hist nothing.png | grep -c $'\e'
exit 0
