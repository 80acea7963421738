# --preserve-times: each output gets the times that its input had before it was read.
make_image png in.png 9x7
make_image tif stack.tif 9x7 2
old() { touch -m -d '2001-02-03 04:05:06.789 UTC' "$@" && touch -a -d '1999-01-02 03:04:05.678 UTC' "$@"; }
new() { for file in "$@"; do [ "$(stat -c '%X.%Y' "$file")" = 915246245.981173106 ] || echo "$file: $(stat -c '%x %y' "$file")"; done; }
old in.png && gpuimg equalize in.png a.png && [ "$(stat -c %Y a.png)" != 981173106 ] || echo "kept without the option"
old in.png && gpuimg equalize --preserve-times in.png b.png && new b.png && cmp a.png b.png && stat -c '%y' b.png
old in.png && gpuimg equalize --preserve-times in.png lut.png --lut lut.csv && new lut.png lut.csv
old in.png && gpuimg hsl --preserve-times in.png p.png --planes && new p_h.png p_s.png p_l.png
old in.png && gpuimg hist --preserve-times in.png c.csv && new c.csv
old in.png && gpuimg equalize --preserve-times --force -q in.png a.png && new a.png
old in.png && cp in.png own.png && old own.png && gpuimg equalize --preserve-times --in-place own.png && new own.png && cmp own.png a.png
echo "- folders, lists and pages"
mkdir photos && cp in.png photos/a.png && cp in.png photos/b.png && old photos/*
gpuimg equalize -q --preserve-times photos out/ --manifest run.jsonl && new out/a.png out/b.png
old photos/* && gpuimg equalize -q -r photos --in-place --preserve-times && new photos/a.png photos/b.png && cmp photos/a.png a.png
old in.png && echo in.png | gpuimg equalize -q --preserve-times --files-from - listed/ && new listed/in.png
if gpuimg --version | grep -q 'libtiff [0-9]'; then
  old stack.tif && gpuimg equalize -q --preserve-times --page all stack.tif pages/ && new pages/*
fi
if gpuimg version | grep -q 'libarchive [0-9]'; then
  old in.png && tar -cf in.tar in.png && old in.tar && gpuimg equalize -q --preserve-times in.tar out.tar && new out.tar
  mkdir x && tar -C x -xf out.tar && [ "$(stat -c %Y x/in.png)" = 981173106 ] || echo "member has another time"
fi
echo "- inputs and outputs without times"
gpuimg equalize --preserve-times in.png - | cmp - a.png
gpuimg equalize --preserve-times - d.png <in.png && cmp d.png a.png
gpuimg hist -q --merge in.png sum.json
gpuimg hist --preserve-times --merge in.png again.json 2>&1 | grep -v '^1 done' >&2 && cmp sum.json again.json
gpuimg hist --preserve-times in.png >printed.csv && cmp printed.csv c.csv
