make_image flat in.png 8x8 128
for term in dumb '' xterm; do
  TERM=$term on_terminal 40 gpuimg hist in.png | grep -c $'\e'
done
env -u TERM on_terminal 40 gpuimg hist in.png | grep -c $'\e'
NO_COLOR='' on_terminal 40 gpuimg hist in.png | grep -c $'\e'
NO_COLOR=0 on_terminal 40 gpuimg hist in.png | grep -c $'\e'
exit 0
