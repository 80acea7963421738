expect 3 gpuimg hist - </dev/null
echo text | expect 3 gpuimg hist -
expect 3 gpuimg hist - <&-
on_terminal 80 gpuimg hist -
