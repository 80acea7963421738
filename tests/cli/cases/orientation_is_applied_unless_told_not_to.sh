make_image png plain.png 9x5
make_image chunk plain.png turned.png eXIf 49492a000800000001001201030001000000060000000000
size() { gpuimg "$@" -v 2>&1 >/dev/null | grep -o 'PNG [0-9]*x[0-9]*'; }
size hist turned.png
size hist --no-auto-orient turned.png
size hist --no-auto-orient --roi 0,0,9,5 turned.png
size integral --no-auto-orient turned.png out.npy
gpuimg equalize --no-auto-orient turned.png stored.png
gpuimg equalize plain.png equalized.png
gpuimg equalize stored.png - | gpuimg hist -v - 2>&1 >/dev/null | grep -o 'PNG [0-9]*x[0-9]*'
gpuimg equalize --strip stored.png upright.png
size hist --no-auto-orient upright.png
