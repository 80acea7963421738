make_image png in.png 80x80
make_image png deep.png 80x80 gray 16
export NO_COLOR=1
for columns in 20 40 80 200; do
  for locale in C C.UTF-8; do
    for options in in.png '--channel rgb in.png' '--channel h in.png' deep.png; do
      # shellcheck disable=SC2086
      LC_ALL=$locale on_terminal $columns gpuimg hist $options
    done
  done | python3 -c "
import sys
widest = max(len(line.rstrip('\n')) for line in sys.stdin)
print('$columns columns:', 'fits' if widest <= $columns else f'{widest} wide')"
done
