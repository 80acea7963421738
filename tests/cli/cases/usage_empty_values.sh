# An empty value, as from an unset shell variable, is an error and does not count as a missing option.
make_image png in.png 9x9
expect 2 gpuimg equalize --strength '' in.png out.png
expect 2 gpuimg equalize --shard '' in.png out/
expect 2 gpuimg equalize --max-memory '' in.png out.png
expect 2 gpuimg equalize --manifest '' in.png out/
expect 2 gpuimg equalize --resume= in.png out/
expect 2 gpuimg hist --backend= in.png
expect 2 gpuimg --backend '' hist in.png
expect 2 gpuimg hist --shard 1/1000001 in.png out/
[ "$(ls)" = in.png ] && exit 2
