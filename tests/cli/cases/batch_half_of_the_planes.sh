# Two of three planes are not a complete result, so --skip-existing writes all three again.
mkdir in
make_image png in/a.png 9x9
make_image png in/b.png 9x9
gpuimg hsl --quiet --planes in out/
cksum out/* >before
rm out/a_s.npy
gpuimg hsl --dry-run --skip-existing --planes in out/
gpuimg hsl --quiet --skip-existing --planes in out/
cksum out/* | cmp - before && echo whole
rm out/b_s.npy
expect 4 gpuimg hsl --quiet --planes in out/ 2>/dev/null
