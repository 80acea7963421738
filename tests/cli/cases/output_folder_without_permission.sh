[ "$(id -u)" -ne 0 ] || { echo 'root may write everywhere'; exit 77; }
make_image png in.png 9x9
mkdir closed
chmod 555 closed
gpuimg equalize in.png closed/out.png
