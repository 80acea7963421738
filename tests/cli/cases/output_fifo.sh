# A FIFO receives the whole result or nothing. gpuimg does not hang without a reader, and a reader does not hang if
# gpuimg fails.
make_image png in.png 1500x1000
make_image cut in.png cut.png 5000
gpuimg equalize in.png out.png
gpuimg equalize --strip in.png out.jpg
gpuimg integral in.png out.npy
gpuimg hist in.png out.csv
mkfifo pipe pipe.jpg pipe.npy pipe.csv
through() {  # through PIPE COMMAND…: stores in `got` what the reader of the pipe receives
  local pipe=$1
  shift
  timeout 60 cat "$pipe" >got &
  "$@"
  local status=$?
  wait $! || echo "the reader waited"
  return $status
}
through pipe gpuimg equalize in.png pipe
cmp got out.png
through pipe.jpg gpuimg equalize --strip in.png pipe.jpg
cmp got out.jpg
through pipe.npy gpuimg integral in.png pipe.npy
cmp got out.npy
through pipe gpuimg hist in.png pipe
cmp got out.csv
through pipe.csv gpuimg hist -q --force --merge in.png pipe.csv
head -n 2 got
through pipe.csv gpuimg equalize --lut pipe.csv in.png with_lut.png
head -n 2 got
gpuimg equalize in.png pipe &
sleep 0.3
cat pipe >got
wait $!
cmp got out.png

echo 'failures'
through pipe expect 3 gpuimg equalize cut.png pipe
wc -c <got
through pipe.csv expect 3 gpuimg equalize --lut pipe.csv cut.png no.png
wc -c <got
expect 4 timeout 60 gpuimg equalize in.png pipe
head -c 100 pipe >got &
expect 4 gpuimg equalize in.png pipe
wait $!
ls
