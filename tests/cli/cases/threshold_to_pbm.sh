# A PBM holds one bit per pixel: threshold can write it, and no other subcommand can.
make_image png in.png 20x9
gpuimg threshold in.png t.png
gpuimg threshold in.png out.pbm && head -n 1 out.pbm && gpuimg compare -q t.png out.pbm
gpuimg threshold in.png - --format pbm | cmp - out.pbm
gpuimg threshold in.png out.pnm && cmp out.pbm out.pnm
mkdir photos && cp in.png photos/a.png && gpuimg threshold -q photos out/ --format pbm && ls out
cp out.pbm own.pbm && gpuimg threshold --in-place own.pbm && cmp own.pbm out.pbm
expect 2 gpuimg threshold in.png new.pbm --depth 8
expect 2 gpuimg threshold in.png - --format pbm --depth 8
expect 2 gpuimg equalize in.png new.pbm
expect 2 gpuimg equalize in.png - --format pbm
ls new.pbm 2>/dev/null
exit 0
