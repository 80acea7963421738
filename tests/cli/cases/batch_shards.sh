# The shards together cover every file exactly once. `report` names missing shards.
mkdir in
make_image png in/0.png 5x5
for i in {1..23}; do cp in/0.png in/$i.png; done
make_image cut in/0.png in/7.png 60
gpuimg equalize -q in whole/ 2>/dev/null
for i in 1 2 3; do gpuimg equalize -q --shard $i/3 --manifest run-$i.jsonl in parts/ 2>/dev/null & done
wait
diff -r whole parts && cat run-?.jsonl | grep -v '"begun"' | grep -c '"status"'
expect 1 gpuimg report run-?.jsonl
expect 1 gpuimg report run-1.jsonl run-3.jsonl | grep 'missing:'
expect 2 gpuimg report run-1.jsonl run-1.jsonl
count() { env "$@" gpuimg equalize --shard auto -n in new/ | wc -l; }
sum=0
for i in 0 1 2; do sum=$((sum + $(count SLURM_ARRAY_TASK_ID=$((i * 2 + 5)) SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=3))); done
echo $sum $(count SLURM_PROCID=1 SLURM_NTASKS=2) $(count OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2) $(count PMI_RANK=1 PMI_SIZE=2) $(count JOB_COMPLETION_INDEX=1 GPUIMG_SHARDS=2)
gpuimg equalize --shard 2/2 -n in new/ | wc -l
expect 2 gpuimg equalize --shard auto -n in new/
JOB_COMPLETION_INDEX=1 expect 2 gpuimg equalize --shard auto -n in new/
SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=1 expect 2 gpuimg equalize --shard auto -n in new/
