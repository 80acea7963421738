"""Computes statistics of levels with NumPy, as docs/operations.md, "Histogram", defines them."""
import gpuimg_run

numpy = gpuimg_run.require("numpy")

PERCENTILES = {"p1": 1, "p5": 5, "p25": 25, "median": 50, "p75": 75, "p95": 95, "p99": 99}


def luma_of(pixels):
    """Luma of (h, w) gray or (h, w, 3 or more) RGB: ITU-R BT.601 in integers."""
    if pixels.ndim == 2:
        return pixels
    wide = pixels.astype(numpy.int64)
    return (19595 * wide[..., 0] + 38470 * wide[..., 1] + 7471 * wide[..., 2] + 32768) >> 16


def statistics_of(levels, top):
    """`top` is the largest level of the depth."""
    levels = levels.ravel()
    size = levels.size
    counts = numpy.bincount(levels, minlength=top + 1)
    sums = counts.cumsum()
    shares = counts[counts > 0] / size
    found = {name: int((100 * sums >= percent * size).argmax()) for name, percent in PERCENTILES.items()}
    return found | {
        "mean": levels.mean(dtype=float),
        "stddev": levels.std(dtype=float),
        "min": int(levels.min()),
        "max": int(levels.max()),
        "mode": int(counts.argmax()),
        "entropy_bits": float(-(shares * numpy.log2(shares)).sum()) + 0.0,
        "share_at_zero": float(counts[0] / size),
        "share_at_max": float(counts[top] / size),
    }
