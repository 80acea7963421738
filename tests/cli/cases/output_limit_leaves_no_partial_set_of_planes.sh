make_image png in.png 300x200 gray
gpuimg hsl --planes in.png whole.png
limit=$(($(stat -c %s whole_h.png) / 1024 + 1))
largest=$(($(stat -c %s whole_l.png) / 1024))
[ $largest -ge $limit ] || { echo "the planes have about the same size"; exit 77; }
rm whole_*.png
ulimit -f $limit
gpuimg hsl --planes in.png out.png 2>/dev/null
status=$?
ls
exit $status
