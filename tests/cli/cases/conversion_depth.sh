# --depth 8 and 16 convert after the operation. Converting to 16 and back changes nothing. hsl --inverse computes in the
# chosen depth.
make_image png in.png 31x17 rgba
gpuimg equalize in.png out.png
gpuimg equalize --depth 16 in.png deep.png
gpuimg equalize --strength 0 --depth 8 deep.png back.png && cmp out.png back.png
gpuimg hsl --hue 30 in.png out.png --force
gpuimg hsl --hue 30 --depth 16 in.png deep.png --force
gpuimg hsl --hue 0 --depth 8 deep.png back.png --force && cmp out.png back.png
gpuimg equalize --depth 8 in.png same.png && gpuimg equalize in.png plain.png && cmp same.png plain.png
# A loss of depth always causes a note.
make_image png in16.png 31x17 rgb 16
gpuimg hsl in16.png hsl.npy
gpuimg hsl in16.png hsl.png
gpuimg hsl --inverse hsl.npy 8.png
gpuimg hsl --inverse --depth 8 hsl.npy 8.asked.png && cmp 8.png 8.asked.png
gpuimg hsl --inverse --depth 16 hsl.npy 16.png
gpuimg hsl --inverse hsl.png 16.tagged.png
gpuimg hsl --inverse - - <hsl.npy >8.stream.png && cmp 8.png 8.stream.png
gpuimg equalize --strength 0 in16.png plain16.png && cmp plain16.png 16.png
for file in 8.png 16.png 16.tagged.png; do echo $file $(od -An -tu1 -j24 -N1 $file); done
gpuimg hsl --encode opencv in16.png hsl8.npy
gpuimg hsl --inverse --encode opencv hsl8.npy quiet.png
expect 2 gpuimg equalize --depth 12 in.png no.png
expect 2 gpuimg hsl --depth 8 in.png no.png
