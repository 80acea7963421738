make_image png in.png 9x9
gpuimg equalize in.png expected.png
gpuimg equalize -v --timing in.png out.png <&- >&- 2>&-
echo $?
cmp out.png expected.png
