# Archives: the same bytes as from a folder, in order; other members are copied; compression; streams; damaged members.
gpuimg version | grep -q 'libarchive [0-9]' || { echo "built without libarchive"; exit 77; }
mkdir -p in/deep
zstd_of() {  # zstd_of FILE [ZEROS]: a zstd frame of FILE and ZEROS zero bytes, in raw and run-length blocks
  python3 - "$@" <<'P'
import sys
WINDOW = 1 << 17
blocks = []
with open(sys.argv[1], "rb") as file:
    while part := file.read(WINDOW):
        blocks.append((len(part) << 3, part))
blocks += [(WINDOW << 3 | 2, b"\0")] * (int(sys.argv[2]) // WINDOW if len(sys.argv) > 2 else 0)
blocks.append((1, b""))
sys.stdout.buffer.write(bytes.fromhex("28b52ffd0038") + b"".join(head.to_bytes(3, "little") + body for head, body in blocks))
P
}
make_image png in/a.png 40x30 rgb 8 1
make_image ppm in/deep/b.ppm 20x10 2
make_image jpeg in/c.jpg 64x32
printf '{"label": 3}' >in/deep/b.json
head -c 1500000 /dev/zero | tr '\0' x >in/large.txt
: >in/empty.txt
ln -s a.png in/link.png
long=in/$(printf 'n%.0s' {1..150}).txt && echo long >"$long"
printf 'x' >in/$'\303\244 \377'.txt
names=(a.png deep/b.ppm deep/b.json large.txt c.jpg empty.txt link.png "${long#in/}" $'\303\244 \377.txt')
tar -C in --format=gnu -cf in.tar "${names[@]}"
expect 0 gpuimg equalize in.tar out.tar 2>&1 | sed 's/ in .*//'
tar tf out.tar 2>/dev/null | cut -c 1-40
mkdir out && tar -C out -xf out.tar 2>/dev/null
gpuimg equalize -q -r in/ folder/ --exclude link.png
for name in a.png c.jpg deep/b.ppm; do cmp out/$name folder/$name; done
for name in deep/b.json large.txt empty.txt "${long#in/}" $'\303\244 \377.txt'; do cmp "in/$name" "out/$name"; done
[ "$(readlink out/link.png)" = a.png ] || echo "no link"
[ "$(stat -c %Y out/a.png)" = "$(stat -c %Y in/a.png)" ] || echo "another time"
echo "- the same from streams, compressed, with any number of jobs and in any locale"
gpuimg equalize -q --tar - - <in.tar | cmp - out.tar
cat in.tar | gpuimg equalize -q --tar - - | cat | cmp - out.tar
gzip -k in.tar && cp in.tar.gz in.tgz && zstd_of in.tar >in.tar.zst && cp in.tar.zst in.tzst
for name in in.tar.gz in.tgz in.tar.zst in.tzst; do gpuimg equalize -q $name - | cmp - out.tar; done
for jobs in 1 4; do LC_ALL=C gpuimg equalize -q -j $jobs in.tar - | cmp - out.tar; done
gpuimg equalize -q --max-memory 60M in.tar - | cmp - out.tar
tar -C in --format=pax -cf pax.tar "${names[@]}" && gpuimg equalize -q pax.tar - | tar tf - 2>/dev/null | cut -c 1-40 | head -3
echo "- members that workers read and write by themselves: the same as from a pipe, whatever the format"
mkdir parts
make_image ppm parts/wide.ppm 400x300 3
make_image ppm parts/next.ppm 401x299 4
head -c 100001 in/large.txt >parts/odd.txt
printf 'P6\n400 300\n255\n' >parts/holes.ppm && truncate -s 360015 parts/holes.ppm
truncate -s 900000 parts/holes.bin && printf end >>parts/holes.bin
parts=(wide.ppm odd.txt holes.ppm holes.bin next.ppm)
for form in v7 ustar pax gnu 'gnu -S' 'pax -S --sparse-version=1.0'; do
  tar -C parts --format=$form -cf parts.tar "${parts[@]}" && rm -f new.tar
  gpuimg equalize -q -j 3 parts.tar new.tar
  cat parts.tar | gpuimg equalize -q --tar - - | cmp - new.tar
  mkdir unpacked && tar -C unpacked -xf new.tar && cmp unpacked/holes.bin parts/holes.bin
  gpuimg equalize -q parts/next.ppm - --format ppm | cmp - unpacked/next.ppm
  rm -r unpacked
done
head -c 500000 parts.tar >short.tar && expect 3 gpuimg equalize -q short.tar no.tar
expect 3 gpuimg equalize -q short.tar - >begun.tar
cmp -n "$(stat -c %s begun.tar)" begun.tar new.tar && tar tf begun.tar 2>/dev/null
mkfifo pipe
exec 7<>pipe  # keeps a reader open, because gpuimg rejects a pipe without one and `cat` starts later
cat pipe >piped.tar 7>&- &
gpuimg equalize -q parts.tar pipe 7>&-
exec 7>&-
wait && cmp piped.tar new.tar
rm new.tar
echo "- other operations"
gpuimg hist -q in.tar - | tar tf - 2>/dev/null | head -2
gpuimg hsl -q --planes in.tar - | tar tf - 2>/dev/null | head -4
gpuimg hist -q in.tar stats.csv --table && cut -d, -f 1-4 stats.csv
for name in in.tar.gz in.tar.zst; do gpuimg hist -q $name - --table | cmp - stats.csv; done  # the large text is skipped
gpuimg hist -q --merge in.tar sum.csv && head -1 sum.csv
expect 1 gpuimg hist -q in.tar --fail-if 'max<200'
gpuimg hist -q --overlay in.tar plot.svg && grep -c 'class="line i-' plot.svg
echo "- damaged members are left out"
make_image cut in/a.png in/cut.png 100
tar -C in -cf bad.tar a.png cut.png c.jpg
expect 1 gpuimg equalize -q bad.tar left.tar
tar tf left.tar
expect 1 gpuimg equalize -q --fail-fast -j 1 bad.tar - | tar tf - | head -1
echo "- damaged archives leave nothing"
head -c 3000 in.tar >short.tar
expect 3 gpuimg equalize -q short.tar no.tar
tar --format=gnu -cf long.tar in/n*.txt && head -c 600 long.tar >short.tar  # ends within the name
expect 3 gpuimg equalize -q short.tar no.tar 2>&1 | cut -d : -f 1-4
expect 3 gpuimg equalize -q in/a.png no.tar --tar
head -c 900 in.tar.gz >short.tar.gz
expect 3 gpuimg equalize -q short.tar.gz no.tar
head -c -3 in.tar.gz >short.tar.gz  # lacks the end of the checksum
expect 3 gpuimg equalize -q short.tar.gz no.tar
cp in.tar.gz sum.tar.gz && printf '\377\377\377\377' | dd of=sum.tar.gz bs=1 seek=$(($(stat -c %s in.tar.gz) - 8)) conv=notrunc status=none
expect 3 gpuimg equalize -q sum.tar.gz no.tar
expect 3 gpuimg hist -q sum.tar.gz no.csv --table
(head -c 5000 in.tar | gzip && tail -c +5001 in.tar | gzip && head -c 700 /dev/zero) >two.tar.gz
gpuimg equalize -q in.tar - >one.tar && gpuimg equalize -q two.tar.gz - | cmp - one.tar
gpuimg equalize -q --tar - - <two.tar.gz | cmp - one.tar && rm one.tar
tar -C in -cf header.tar a.png c.jpg
printf '88888888' | dd of=header.tar bs=1 seek=$((512 + ($(stat -c %s in/a.png) + 511) / 512 * 512 + 148)) conv=notrunc status=none
expect 3 gpuimg equalize -q header.tar no.tar 2>&1 | cut -d : -f 1-4  # libarchive's messages differ between releases
expect 3 gpuimg equalize -q nowhere.tar no.tar
: >empty.tar
truncate -s 300M zeros && tar -czf bomb.tar.gz zeros
expect 3 gpuimg equalize -q bomb.tar.gz no.tar
expect 3 gpuimg equalize -q --tar - - <bomb.tar.gz | wc -c
tar -cf - zeros | head -c 512 >header && zstd_of header 314572800 >bomb.tar.zst && rm zeros
expect 3 gpuimg equalize -q bomb.tar.zst no.tar
expect 3 gpuimg hist -q bomb.tar.zst no.csv --table
truncate -s 200M zeros && tar -czf dense.tar.gz zeros && rm zeros  # within the size that is always allowed
expect 0 gpuimg equalize -q dense.tar.gz - | wc -c
expect 3 gpuimg equalize -q empty.tar no.tar
(ulimit -f 600 && expect 4 gpuimg equalize -q parts.tar no.tar)  # like a full disk
ls no.tar 2>/dev/null
echo "- rejections"
expect 4 gpuimg equalize -q in.tar out.tar
expect 4 gpuimg equalize -q in.tar in.tar --force
expect 2 gpuimg equalize in.tar
expect 2 gpuimg equalize in.tar out.png
expect 2 gpuimg equalize in.tar new.tar.gz
expect 2 gpuimg equalize in.tar bad.tar new.tar
expect 2 gpuimg equalize in.tar new.tar --manifest m.jsonl
expect 2 gpuimg equalize in.tar '{stem}.tar' -o '{stem}.tar'
echo "- two members with the same name"
cp in/c.jpg in/d.png && cp in/c.jpg in/d.psd && echo >in/d.csv && mkdir in/d.d
for names in 'd.psd d.png' 'd.png d.psd' './d.png ././d.psd'; do
  # shellcheck disable=SC2086
  tar -C in -cf twice.tar a.png $names && expect 2 gpuimg equalize -q twice.tar no.tar
done
expect 2 gpuimg equalize -q --tar - - <twice.tar | tar tf - 2>/dev/null
tar -C in -cf twice.tar d.csv d.png && expect 2 gpuimg hist -q twice.tar no.tar
tar -C in -cf twice.tar d.png d.csv && expect 2 gpuimg hist -q twice.tar no.tar
gpuimg hist -q twice.tar twice.csv --table && grep -c . twice.csv
tar -C in --hard-dereference -cf twice.tar d.psd d.d d.d a.png d.psd && gpuimg equalize -q twice.tar - | tar tf -
ls no.tar 2>/dev/null
ls .gpuimg-* 2>/dev/null
exit 0
