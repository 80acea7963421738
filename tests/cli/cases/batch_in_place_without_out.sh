# With --in-place, each input is its own output. The last name is an input and not OUT; if it could be meant as OUT,
# nothing is changed.
mkdir -p in/sub other
for name in a b sub/c; do make_image png in/$name.png 9x9 rgb 8 7; done
make_image png in/d.png 9x9
make_image cut in/d.png in/broken.png 100
cp -r in kept
gpuimg equalize -q -r kept expected/ 2>/dev/null
same() { for name; do cmp in/$name.png expected/$name.png; done; }
unchanged() { diff -r in kept && echo unchanged; }
echo 'rejected:'
expect 2 gpuimg equalize --in-place in/a.png in/b.png
expect 2 gpuimg equalize --in-place --force in/a.png in/b.png
expect 2 gpuimg equalize --in-place -r in other
expect 2 gpuimg equalize --in-place in/a.png in/b.png in/d.png other/
expect 2 gpuimg equalize --in-place --files-from list in/a.png
expect 2 gpuimg equalize --in-place -
expect 3 gpuimg equalize --in-place in/a.png in/b.png new.png
expect 2 gpuimg equalize --in-place
unchanged; ls other
echo 'replaced:'
gpuimg equalize --in-place in/a.png && same a
gpuimg equalize -q --in-place -r in/ 2>/dev/null || same b sub/c
cmp in/broken.png kept/broken.png
rm -r in && cp -r kept in && gpuimg equalize -q --in-place in/a.png ./in/b.png in/sub/c.png && same a b sub/c
rm -r in && cp -r kept in && gpuimg equalize -q --in-place in/a.png ./in/a.png && same a
rm -r in && cp -r kept in && printf 'in/a.png\nin/b.png\n' | gpuimg equalize -q --in-place --files-from - && same a b
make_image gif in/e.gif 5x5
gpuimg equalize -q --in-place in/e.gif in/a.png in/b.png && ls in
