make_image png in.png 300x200
ulimit -f 16
gpuimg equalize --lut lut.csv in.png out.png
status=$?
ls
exit $status
