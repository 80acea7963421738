# Words of other tools, other spellings and upper case: gpuimg suggests the right word and does nothing.
make_image png in.png 3x3
suggested() {  # suggested WORDS…: the last suggestion on standard error, and the exit code
  gpuimg "$@" 2>err.txt
  echo "$? $*: $(sed -n 's/.*(did you mean \(.*\)?).*/\1/p' err.txt)"
}
for name in histogram Hist histo equalise EQUALIZE equalization integral-image summed-area hls hsv benchmark; do
  suggested $name in.png out.png
done
for option in --colour --Color --out --outdir --recurse -R --overwrite --yes -y --gpu --workers --quite --thread=2; do
  suggested equalize in.png out.png $option
done
suggested hist --channel red in.png
suggested hist --channel RGB in.png
suggested hist --channel Hue in.png
suggested hist --log-scale in.png
suggested integral --type int32 in.png out.npy
suggested integral --type uint32 in.png out.npy
suggested integral --type float32 in.png out.npy
suggested integral --type float in.png out.npy
suggested integral --type float64 in.png out.npy
suggested integral --type double in.png out.npy
suggested integral --type int64 in.png out.npy
suggested hist --backend gpu in.png
suggested hist --backend CPU in.png
suggested equalize --color gray in.png out.png
suggested equalize --formula cv2 in.png out.png
suggested equalize --strength 50% in.png out.png
suggested hsl --brightness 2 in.png out.png
ls
