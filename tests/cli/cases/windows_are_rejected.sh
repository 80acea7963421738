# Parameters that are out of range, that belong to another method, or that do not suit the output.
make_image png in.png 9x9 rgb 8
expect 2 gpuimg integral --mean 4 in.png x.png
expect 2 gpuimg integral --mean 19 in.png x.png
expect 2 gpuimg integral --mean 3 --variance 3 in.png x.png
expect 2 gpuimg integral --mean 3 --layout inclusive in.png x.png
expect 2 gpuimg integral --variance 3 --depth 8 in.png x.png
expect 2 gpuimg integral --variance 3 in.png x.csv
expect 2 gpuimg integral --border cut in.png x.png
expect 2 gpuimg integral --mean 3 --border mirror in.png x.png
expect 2 gpuimg threshold --method mean --k 1 in.png x.png
expect 2 gpuimg threshold --window 3 in.png x.png
expect 2 gpuimg threshold --method bradley --sensitivity 101 in.png x.png
expect 2 gpuimg threshold --method mean --window 0 in.png x.png
expect 2 gpuimg threshold --method mean --offset nan in.png x.png
expect 2 gpuimg threshold --depth 16 in.png x.png
expect 3 gpuimg threshold --channel a in.png x.png
expect 2 gpuimg threshold --method adaptive in.png x.png
expect 2 gpuimg denoise --patch 2 in.png x.png
expect 2 gpuimg denoise --search 2903 in.png x.png
expect 2 gpuimg denoise --filter-strength -1 in.png x.png
ls
