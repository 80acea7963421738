"""Processes a folder of tar archives with Ray Data. Each worker is an actor, with a GPU if requested. See README.md."""
import json
import sys

import ray

import shards


class Worker:
    """Processes many shards in one process, which keeps its backend and memory pools. Ray restarts a lost worker."""

    def __init__(self, work):
        work.check_device()  # if this fails, Ray ends the run instead of restarting workers forever
        self.work = work

    def __call__(self, batch):
        return {"row": [json.dumps(self.work(path)) for path in batch["path"]]}


def main(words=None):
    asked = shards.arguments(__doc__).parse_args(words)
    work, paths = shards.plan(asked)
    ray.cloudpickle.register_pickle_by_value(shards)  # so that other machines need only gpuimg
    if not ray.is_initialized():
        ray.init()  # the cluster of RAY_ADDRESS, or one on this machine
    rows = []
    if paths:
        data = ray.data.from_items([{"path": path} for path in paths], override_num_blocks=len(paths))
        data = data.map_batches(Worker, fn_constructor_args=(work,), batch_size=1,
                                compute=ray.data.ActorPoolStrategy(size=min(asked.workers, len(paths))),
                                num_cpus=asked.cpus, num_gpus=1 if asked.gpus else 0,
                                max_task_retries=asked.restarts,  # per shard
                                max_restarts=asked.restarts * len(paths))  # per worker, in the whole run
        with work.tidied():
            rows = [json.loads(row["row"]) for row in data.iter_rows()]
    return shards.report(rows)


if __name__ == "__main__":
    sys.exit(main())
