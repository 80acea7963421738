# Address spaces from 16 MB to 4 GB, for one image and several: success, or exit code 6 (1 in a batch) and one line;
# never a crash.
[ "$GPUIMG_SANITIZED" = 0 ] || { echo 'a sanitizer needs more memory than any limit'; exit 77; }
mkdir in
for i in 1 2 3; do make_image png in/$i.png 900x700 rgb 16 $i; done
program_bytes=$(stat -Lc %s "$(command -v gpuimg)")
for megabytes in 16 24 32 48 64 96 128 192 256 384 512 768 1024 2048 4096; do
  [ "$program_bytes" -lt $((megabytes << 20)) ] || continue # the system kills a program that does not fit
  for operation in "equalize in/1.png out.png" "integral in/2.png out.npy" "hsl in/3.png out.png" "equalize --jobs 2 -q in out/"; do
    rm -rf out*
    (ulimit -v $((megabytes * 1024)); exec gpuimg --backend cpu --threads 2 $operation) >/dev/null 2>message.txt
    status=$?
    case $status in
      0 | 127) ;; # 127: the dynamic loader itself had too little memory
      6) [ "$(wc -l <message.txt)" -eq 1 ] && [ ! -f out.* ] || echo "$operation in $megabytes MB: $(cat message.txt)" ;;
      1) [[ $operation == *out/ ]] || echo "$operation in $megabytes MB: exit code 1: $(cat message.txt)" ;;
      *) echo "$operation in $megabytes MB: exit code $status: $(cat message.txt)" ;;
    esac
    [ $status -ne 0 ] && [ $megabytes -ge 1024 ] && echo "$operation fails in $megabytes MB: $(cat message.txt)"
  done
done
exit 0
