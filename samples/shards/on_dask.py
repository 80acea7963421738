"""Processes a folder of tar archives with Dask. Each worker is a process. See README.md."""
import contextlib
import os
import secrets
import sys

import cloudpickle
import dask
import distributed

import shards


def call(work, path):
    """Runs on a worker, which may not have shards.py. So `work` arrives pickled by value; Dask would use references."""
    return cloudpickle.loads(work)(path)


def main(words=None):
    parser = shards.arguments(__doc__)
    parser.add_argument("--scheduler", help="address of a cluster [one on this machine, with its workers]")
    asked = parser.parse_args(words)
    if asked.scheduler and asked.restarts != parser.get_default("restarts"):
        parser.error("--restarts has no effect on a scheduler that is already running; "
                     "set distributed.scheduler.allowed-failures in its configuration")
    work, paths = shards.plan(asked)
    cloudpickle.register_pickle_by_value(shards)  # so that other machines need only gpuimg
    dask.config.set({"distributed.scheduler.allowed-failures": asked.restarts})
    with contextlib.ExitStack() as ending:
        ending.enter_context(work.tidied())  # runs last, after the cluster has been closed
        cluster = asked.scheduler or ending.enter_context(distributed.LocalCluster(
            n_workers=asked.workers, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None))
        client = ending.enter_context(distributed.Client(cluster))
        # The keys are unique, because for a key that it knows, a scheduler returns the result of an earlier run.
        keys = [f"{os.path.basename(path)}-{secrets.token_hex(8)}" for path in paths]
        rows = client.gather(client.map(call, [cloudpickle.dumps(work)] * len(paths), paths, key=keys, pure=False))
    return shards.report(rows)


if __name__ == "__main__":
    sys.exit(main())
