# gpuimg rejects an archive of a kind that it cannot unpack, names the kind, and prints a command that unpacks it. The
# name of OUT and the way in which the archive is given make no difference.
gpuimg version | grep -q 'libarchive [0-9]' || { echo "built without libarchive"; exit 77; }
make_image png a.png 9x7
tar -cf plain.tar a.png
packed() {  # packed FILE SIGNATURE: only a prefix, because the first bytes decide
  { printf '%b' "$2"; head -c 600 plain.tar; } >"$1"
}
packed in.tar.xz '\3757zXZ\0\0\4'
packed in.txz '\3757zXZ\0\0\4'
packed in.tar.bz2 'BZh91AY&SY'
packed in.tar.lz4 '\4\42\115\30'
packed in.tar.lz 'LZIP\1\14'
packed in.tar.lzo '\211LZO\0\15\12'
packed in.tar.lzma '\135\0\0\200\0\377\377'
packed in.tar.Z '\37\235\220'
packed in.zip 'PK\3\4\24\0'
packed in.7z '7z\274\257\47\34\0\4'
packed in.rar 'Rar!\32\7\1\0'
for name in in.*; do expect 3 gpuimg equalize "$name" out.tar; done
echo "- any OUT and operation" >&2
expect 3 gpuimg equalize in.tar.xz out
expect 1 gpuimg equalize -q a.png in.zip out/ && ls out
expect 3 gpuimg equalize in.7z out.png
expect 3 gpuimg equalize in.tar.bz2 in.rar out.tar
expect 3 gpuimg hist in.tar.xz
expect 3 gpuimg info in.rar
expect 3 gpuimg info plain.tar
expect 3 gpuimg equalize --in-place in.zip
echo "- with --tar" >&2
expect 3 gpuimg equalize --tar in.tar.xz out.tar
expect 3 gpuimg equalize --tar - - <in.tar.bz2
expect 3 gpuimg hist --table --tar - <in.zip
cp in.tar.xz wrong.tar && expect 3 gpuimg equalize wrong.tar out.tar
cat in.tar.xz | { head -c 3 && sleep 0.2 && cat; } | expect 3 gpuimg equalize --tar - out.tar
echo "- a gzip file with another name" >&2
gzip -c plain.tar >in.gz && expect 3 gpuimg equalize in.gz out.tar
gpuimg equalize -q --tar in.gz out.tar && tar tf out.tar
