"""The kinds of faults, in the order of fault_plan.hpp, and the exit codes allowed when a call of a kind fails."""

SOME_FAILED, INPUT, OUTPUT, NO_BACKEND, OUT_OF_MEMORY = 1, 3, 4, 5, 6

# Exit codes allowed for a single image. 0 is also allowed if the output is right, unless every call of the kind
# matters.
CODES = {"malloc": {OUT_OF_MEMORY}, "mmap": {OUT_OF_MEMORY}, "thread": {OUT_OF_MEMORY}, "stat": {INPUT, OUTPUT},
         "open": {INPUT, OUTPUT}, "read": {INPUT}, "write": {OUTPUT}, "close": {OUTPUT}, "dup": {OUTPUT},
         "rename": {OUTPUT}, "norename": set(), "link": {OUTPUT}, "chmod": {OUTPUT}, "mkdir": {OUTPUT},
         "truncate": {OUTPUT}, "map": set(), "shared": set(), "part": set(), "task": {OUT_OF_MEMORY},
         "cuda_memory": {OUT_OF_MEMORY}, "cuda_create": {NO_BACKEND}, "cuda_copy": {NO_BACKEND},
         "cuda_launch": {NO_BACKEND}, "cuda_wait": {NO_BACKEND}, "cuda_query": {NO_BACKEND}, "cuda_free": {NO_BACKEND},
         "cuda_lost": {NO_BACKEND}, "cuda_planted": {NO_BACKEND}}
KINDS = list(CODES)
CODES["norename+link"] = {OUTPUT}

# If a scenario makes calls of such a kind, at least one failure must be noticed.
MATTER = {"malloc", "stat", "open", "read", "write", "close", "rename", "truncate", "task", "cuda_memory", "cuda_create",
          "cuda_copy", "cuda_launch", "cuda_wait", "cuda_query", "cuda_lost", "cuda_planted"}


def is_cuda(kind):
    return kind.startswith("cuda_")


def allowed_codes(kind, is_batch):
    """The exit codes allowed when the n-th call of the kind fails."""
    # A failed launch or copy always fails the run. In a batch, the number of copies depends on timing.
    if kind in ("cuda_planted", "cuda_launch") or (kind == "cuda_copy" and not is_batch):
        return {NO_BACKEND}
    if is_cuda(kind) and kind != "cuda_memory":  # a lost device also ends a batch
        return {0} | CODES[kind]
    return {0} | CODES[kind] | ({SOME_FAILED} if is_batch else set())


def points(first, last, most, rng):
    """About `most` numbers from first to last; all of them if `most` is 0."""
    stride = 1 if most == 0 else max(1, (last + 1 - first) // most)
    return range(first + rng.randrange(stride), last + 1, stride)


def plans(counts, most, rng, cuda, run_begins):
    """Yields (kind, GPUIMG_FAIL) for the runs of a scenario, with about `most` points per kind.
    Allocations of a batch from number `run_begins` on have at least 256 points, usually one each."""
    for kind, count in zip(KINDS, counts):
        if is_cuda(kind) != cuda:
            continue
        if kind == "norename":
            yield kind, "norename:1+"
            yield "norename+link", "norename:1+,link:1+"
        chosen = list(points(1, count, most, rng))
        if kind == "malloc" and run_begins:
            densely = 16 * max(most, 16) if most else 0
            chosen = [n for n in chosen if n < run_begins] + list(points(run_begins, count, densely, rng))
        for n in chosen:
            yield kind, f"{kind}:{n}"
            if kind not in ("cuda_lost", "cuda_planted"):  # these are sticky
                yield kind, f"{kind}:{n}+"
