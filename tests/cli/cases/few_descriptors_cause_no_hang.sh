# With too few descriptors to wait for signals, gpuimg processes one image without waiting for them and never hangs.
[ "$GPUIMG_SANITIZED" = 0 ] || { echo 'a sanitizer needs descriptors of its own'; exit 77; }
make_image png in.png 9x9
for limit in 3 4 5 6; do
  timeout 10 python3 -c 'import os, resource, sys
os.close(0)
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[1])))
os.execvp("gpuimg", ["gpuimg", "hist", "--bins", "2", "in.png"])' $limit >/dev/null 2>&1
  [ $? -lt 124 ] || echo "hangs with $limit"
done
