# equalize --clahe of 16-bit images: 256 bins by default, so that --clip has an effect; every level with --bins full.
# Small tiles cause a note.
make_image png deep.png 90x70 gray 16
for clip in 1 2 4; do gpuimg equalize --clahe --tiles 2x2 --clip $clip deep.png clip$clip.png; done
gpuimg compare -q clip1.png clip2.png >/dev/null; echo "clip 1 and 2: $?"
gpuimg compare -q clip2.png clip4.png >/dev/null; echo "clip 2 and 4: $?"
gpuimg equalize --clahe --tiles 2x2 --bins full deep.png full.png
gpuimg equalize --clahe --tiles 8x8 deep.png small.png
make_image png black.png 8x8 gray 8
gpuimg equalize --clahe black.png white.png
expect 2 gpuimg equalize --bins full deep.png x.png
expect 2 gpuimg equalize --clahe --bins 300 deep.png x.png
