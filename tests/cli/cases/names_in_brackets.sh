# A file name in brackets is an ordinary name, not a list.
make_image png '[in].png' 9x9
mkdir '[Album]'
make_image png '[Album]/a,b.png' 9x9
make_image png '[c]' 9x9
gpuimg hist --bins 2 '[in].png' '[x,y].csv' && ls
gpuimg equalize --quiet -r '[Album]' '[c]' '[in].png' out/ && ls out
gpuimg equalize --quiet --manifest '[m]' '[c]' '[Album]' again/ && gpuimg report '[m]'
gpuimg bench --json '[c]' | grep -q '"image": "\[c\]"' || echo 'bench: another name'
