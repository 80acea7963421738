# `report` counts only the last run, not an earlier run with other options in the same manifest.
mkdir in
make_image png in/a.png 9x9
make_image png in/b.png 9x9
gpuimg equalize --quiet --manifest m in out/
gpuimg equalize --quiet --color rgb --manifest m --resume m in out/
gpuimg report m
grep -v '"begun"' m | head -n 5 >half
expect 1 gpuimg report half
printf '{"gpuimg":"run","schema":1,"operation":"hist","parameters":"0","version":"1","shard":1,"shards":9000000000000000000,"items":1,"total":1}\n' >huge
expect 3 gpuimg report huge 2>&1
