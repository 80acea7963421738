# For several images OUT must be a folder. If its name looks like a file name, gpuimg does not create the folder.
mkdir in there.png
make_image png in/a.png 9x9
echo text >notes
expect 2 gpuimg equalize in out.png
expect 2 gpuimg hist -r in/ out.csv
expect 2 gpuimg integral in out.npy
expect 2 gpuimg equalize in in/a.png out.JPG
expect 2 gpuimg hist in out.png
expect 2 gpuimg equalize in notes
expect 2 gpuimg equalize in/a.png in/a.png notes
ls
gpuimg equalize -q in out.png/ && gpuimg equalize -q in there.png && gpuimg equalize -q in v1.2 && gpuimg hist -q --merge in all.csv
ls out.png there.png v1.2 all.csv
