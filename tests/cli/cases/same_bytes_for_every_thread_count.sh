make_image png rgb.png 517x389 rgb
make_image png rgba16.png 331x203 rgba 16
make_image png gray.png 1023x257 gray
make_image png gray16.png 519x77 graya 16
check() {
  local extension=$1 runs=0
  shift
  for threads in 1 1 2 2 5; do
    expect 0 gpuimg -q "$@" --threads $threads "out$runs.$extension" || return
    runs=$((runs + 1))
  done
  for run in 1 2 3 4; do
    cmp "out0.$extension" "out$run.$extension" || echo "$*"
  done
  rm -f out?.*
}
for image in rgb.png rgba16.png gray.png gray16.png; do
  for formula in opencv cdf pillow; do check png equalize --formula $formula $image; done
  for color in luma rgb joint ycbcr hsl; do check png equalize --color $color $image; done
  for luma in bt601 bt601-trunc opencv bt709; do check csv hist --luma $luma $image; done
  check png equalize --strength 0.37 --roi 3,5,200,60 $image
  check svg hist --log $image
  check json hist $image
  check csv hist --cumulative --normalize --bins 100 $image
  for level in 0 1 2 3; do check png equalize --png-level $level $image; done
  for layout in padded inclusive; do
    for type in u64 f32 f64; do check npy integral --layout $layout --type $type $image; done
    check png integral --layout $layout --square $image
    check npy integral --layout $layout --square $image
  done
  check csv integral $image
done
for image in rgb.png rgba16.png; do
  for channel in r g b rgb h s l; do check csv hist --channel $channel $image; done
  for encoding in float u16 opencv opencv-full; do check npy hsl --encode $encoding $image; done
  check png hsl $image
  check png hsl --hue 33.3 --saturation 1.7 --lightness 0.8 $image
done
for extension in jpg bmp tga; do check $extension equalize rgb.png; done
make_image png large.png 1117x603 rgb
gpuimg equalize large.png photo.jpg
check bmp equalize photo.jpg
check csv hist --channel rgb photo.jpg
rm large.png photo.jpg
gpuimg hsl rgb.png hsl.npy
check png hsl --inverse hsl.npy
ls
