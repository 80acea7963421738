make_image png in.png 5x3
make_image jpeg in.jpg
make_image ppm in.ppm 3x2
make_image png even.png 4x3
gpuimg equalize even.png in.bmp  # the rows have no padding; a file without its last padding would be accepted
rm even.png
gpuimg equalize in.png in.tga
for name in in.png in.jpg in.bmp in.ppm in.tga; do
  size=$(stat -c %s $name)
  for ((bytes = 0; bytes < size; ++bytes)); do
    head -c $bytes $name >cut.${name#in.}
    gpuimg equalize cut.${name#in.} out.png 2>message.txt
    status=$?
    [ $status -eq 3 ] && [ "$(wc -l <message.txt)" -eq 1 ] || echo "$name cut to $bytes bytes: exit code $status: $(cat message.txt)"
  done
  rm -f cut.*
done
ls
