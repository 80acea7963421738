# --in-place keeps permissions and extended attributes. A note names other hard links, which keep the old content.
make_image png in.png 9x7
python3 -c 'import os; os.setxattr("in.png", "user.xdg.tags", b"holiday")' 2>/dev/null || { echo "no extended attributes here"; exit 77; }
tags() { python3 -c 'import os, sys; print(*(n + "=" + os.getxattr(sys.argv[1], n).decode() for n in os.listxattr(sys.argv[1]) if n.startswith("user.")))' "$1"; }
python3 -c 'import os; os.setxattr("in.png", "user.empty", b"")'
cp in.png old.png && chmod 640 in.png && gpuimg equalize in.png new.png
gpuimg equalize --in-place in.png && cmp in.png new.png && stat -c %a in.png && tags in.png
chmod 400 in.png && gpuimg equalize --in-place in.png && stat -c %a in.png && tags in.png
ln -s in.png link.png && gpuimg equalize --in-place link.png && tags in.png && [ -L link.png ] || echo "no link"
gpuimg equalize old.png other.png && python3 -c 'import os; os.setxattr("other.png", "user.of", b"another image")'
gpuimg equalize -q old.png other.png --force && tags other.png
echo "- hard links" >&2
chmod 600 in.png
cp old.png in.png && ln in.png one.png && gpuimg equalize --in-place in.png && cmp one.png old.png && cmp in.png new.png
ln one.png two.png && ln one.png three.png && gpuimg equalize old.png one.png --force && cmp two.png old.png
mkdir folder && cp old.png folder/a.png && ln folder/a.png b.png && gpuimg equalize -r folder --in-place 2>&1 | sed 's/ in [0-9].*//' >&2
gpuimg equalize -q old.png two.png --force
