# The bar stays on its line at any width. A dumb terminal gets no bar and no escape, unless --progress always asks for lines.
make_image png in.png "$([ "$GPUIMG_SANITIZED" = 1 ] && echo 300x200 || echo 900x700)"  # sanitized, it takes 10 times as long
mkdir in
for i in {10001..10016}; do ln in.png in/$i.png; done
for i in {1..12000}; do : >in/x$i.png; done
# Slow at first, then 12,000 files that fail: the numbers are long from the first bar on.
bars() { on_terminal "$@" 2>/dev/null | tr '\r' '\n' | grep -a '/12,016\|^.\[K[0-9]*%$' | sed 's/^\x1b\[K//'; }
for columns in 10 20 40 60 80; do
  rm -rf out
  bars $columns gpuimg equalize --backend cpu --jobs 1 --threads 1 --png-level 3 in out/ >bars.txt
  LC_ALL=C awk -v columns=$columns '{ if (length($0) >= columns) wide = 1; if (/[^ -~]/) odd = 1 }
    END { print columns " columns: " (NR > 0 ? "drawn" : "no bar") (wide ? ", too wide" : ", fits") (odd ? ", not ASCII" : "") }' bars.txt
done
grep -c '^\[=* *\] [0-9,]*/12,016 ' bars.txt | sed 's/^[1-9][0-9]*$/with a bar/'
rm -rf out
TERM=dumb on_terminal 60 gpuimg equalize --backend cpu --jobs 1 --threads 1 --png-level 3 in out/ | grep -ac $'\033\|\r\|/12,016'
rm in/x*
