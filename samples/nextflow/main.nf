// Equalizes a folder of images in shards.
// usage: nextflow run main.nf --photos /data/photos --out /data/equalized --runs /data/runs --shards 8
// All paths must be absolute. Manifests are in --runs, because each try of a task has its own work folder.
params.photos = null
params.out = null
params.runs = null
params.shards = 8
params.cpus = 2

// Exit code 1 means that some images are broken; a retry would not change that.
process shard {
    cpus params.cpus
    errorStrategy 'retry'
    maxRetries 3

    input:
    val i

    output:
    val i

    script:
    """
    gpuimg equalize '${params.photos}' '${params.out}' --recursive --shard ${i}/${params.shards} \\
      --manifest '${params.runs}/run-${i}.jsonl' --resume '${params.runs}/run-${i}.jsonl' \\
      --jobs ${task.cpus} --threads ${task.cpus} || [ \$? -eq 1 ]
    """
}

// Fails if an image is missing or has failed.
process report {
    debug true

    input:
    val done

    script:
    """
    gpuimg report '${params.runs}'/run-*.jsonl
    """
}

workflow {
    report(shard(Channel.of(1..params.shards)).collect())
}
