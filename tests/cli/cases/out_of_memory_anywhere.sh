[ "$GPUIMG_SANITIZED" = 0 ] || { echo 'a sanitizer needs more memory than any limit'; exit 77; }
make_image png in.png 1500x1200 rgb 16
# With less memory the program does not even start.
least=12000
{
  until (ulimit -v $least; exec gpuimg --version) >/dev/null; do least=$((least + 2000)); done
} 2>/dev/null
ran_out=0
for operation in "hist in.png out.csv" "equalize in.png out.png" "integral in.png out.npy" "hsl in.png out.png" \
  "hist --channel h in.png out.svg"; do
  for ((kilobytes = least; kilobytes < 120000; kilobytes += 8000)); do
    rm -f out.*
    (ulimit -v $kilobytes; exec gpuimg --backend cpu --threads 2 $operation) >/dev/null 2>message.txt
    status=$?
    case $status in
      0) ;;
      6) ran_out=$((ran_out + 1)); [ "$(wc -l <message.txt)" -eq 1 ] && [ ! -e out.* ] || echo "$operation in $kilobytes KB: $(cat message.txt)" ;;
      127) ;; # the dynamic loader itself failed
      *) echo "$operation in $kilobytes KB: exit code $status: $(cat message.txt)" ;;
    esac
  done
done
# Some of the limits must be too low for gpuimg; otherwise the loop proves nothing.
[ $ran_out -ge 10 ] || echo "memory ran out only $ran_out times"
