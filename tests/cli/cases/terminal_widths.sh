make_image png in.png 80x80
export NO_COLOR=1
for columns in 20 40 80 200; do
  on_terminal $columns gpuimg hist in.png | python3 -c "
import sys
widest = max(len(line.rstrip('\n')) for line in sys.stdin)
print('$columns columns:', 'fits' if widest <= max($columns, 40) else f'{widest} wide')"
done
