# In a control group with a CPU quota, as in containers and under Slurm, the default number of threads equals the quota.
in_group cpus=1 true >skipped.txt || { cat skipped.txt; exit 77; }
make_image png in.png 64x64
in_group cpus=1 gpuimg doctor --backend cpu | grep -o 'CPU, 1 thread'
expect 0 in_group cpus=1 gpuimg hist -v in.png out.csv 2>log.txt
[ "$(nproc)" = 1 ] || grep -o 'control group amounts to 1 of' log.txt >/dev/null || cat log.txt
expect 0 in_group cpus=1 gpuimg hist -v --threads 2 in.png out.csv -f 2>log.txt
grep 'control group' log.txt || true
