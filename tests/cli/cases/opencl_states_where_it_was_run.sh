gpuimg --version | grep -q '^OpenCL none' && { echo 'this gpuimg has no OpenCL backend built in'; exit 77; }
gpuimg --help | sed -n '/^ *opencl /,/^ *--/{/^ *--/!p}'
gpuimg doctor | sed -n '/^OpenCL$/{p;n;p}'
