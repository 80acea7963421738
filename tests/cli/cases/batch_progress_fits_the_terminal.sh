# The bar fits on one line at any width. A dumb terminal gets neither a bar nor escape sequences; with --progress always
# it gets lines.
size=900x700 broken=12000 total=12,040
[ "$GPUIMG_SANITIZED" != 1 ] || size=300x200 broken=1000 total=1,040  # a sanitized run takes 10 times as long
make_image png in.png $size
mkdir in
for i in {10001..10040}; do ln in.png in/$i.png; done
for ((i = 0; i < broken; i++)); do : >in/x$i.png; done
# A few slow files come first, then thousands that fail quickly, so the bar shows large numbers from the start.
bars() { on_terminal "$@" 2>/dev/null | tr '\r' '\n' | grep -a "/$total\|^.\[K[0-9]*%\$" | sed 's/^\x1b\[K//'; }
for columns in 10 20 40 60 80; do
  rm -rf out
  bars $columns gpuimg equalize --backend cpu --jobs 1 --threads 1 --png-level 3 in out/ >bars.txt
  LC_ALL=C awk -v columns=$columns '{ if (length($0) >= columns) wide = 1; if (/[^ -~]/) odd = 1 }
    END { print columns " columns: " (NR > 0 ? "drawn" : "no bar") (wide ? ", too wide" : ", fits") (odd ? ", not ASCII" : "") }' bars.txt
done
grep -c "^\[=* *\] [0-9,]*/$total " bars.txt | sed 's/^[1-9][0-9]*$/with a bar/'
rm -rf out
TERM=dumb on_terminal 60 gpuimg equalize --backend cpu --jobs 1 --threads 1 --png-level 3 in out/ | grep -ac $'\033\|\r\|/'$total
rm in/x*
