for name in $'new\nline.png' $'\xff\xfe.png' $'\e[31mred\a.png' $'\u202egnp.exe' $'\u009b31m.png' 'with space.png' 'naïve ☕.png' -- ; do
  gpuimg hist -- "$name"
done
make_image png in.png 3x3
printf 'x' >$'\e[31mtext.png'
gpuimg hist $'\e[31mtext.png'
gpuimg equalize in.png $'\e[31mred/out.png'
gpuimg equalize in.png $'out.\e[31m'
gpuimg equalize -v in.png $'a\e.png' 2>&1 | grep -o "^gpuimg: wrote [^:]*:"
gpuimg hist --format json $'a\e.png' | grep -c $'\e'
gpuimg hist --format svg $'a\e.png' | grep -c $'\e'
NO_COLOR=1 on_terminal 80 gpuimg hist $'a\e.png' | grep -c $'\e'
exit 3
