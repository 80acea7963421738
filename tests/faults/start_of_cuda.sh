# What is printed if CUDA does not start, for each reason that stand_in_device.cpp knows.
make_image png in.png 3x3
for GPUIMG_STAND_IN in no_driver old_driver no_code no_code_for_old old_ptx; do
  export GPUIMG_STAND_IN
  expect 5 gpuimg equalize --backend cuda in.png out.png
  gpuimg equalize in.png "auto-$GPUIMG_STAND_IN.png"
  [ ! -e out.png ] && [ -e "auto-$GPUIMG_STAND_IN.png" ] || echo 'wrong outputs'
  echo "$GPUIMG_STAND_IN"
  gpuimg doctor | sed -n -e '/^CUDA$/{n;p}' -e '/^  device .*capability/p' -e '/^what to do$/,$p'
done
expect 5 gpuimg doctor --backend cuda | tail -1
