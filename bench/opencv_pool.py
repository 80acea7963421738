"""Equalizes a folder as an OpenCV user would: each process of a pool equalizes the luma of one image at a time.

usage: opencv_pool.py IN_FOLDER OUT_FOLDER PROCESSES
"""
import multiprocessing
import os
import sys

import cv2


def equalize(paths):
    source, target = paths
    image = cv2.imread(source)
    ycrcb = cv2.cvtColor(image, cv2.COLOR_BGR2YCrCb)
    ycrcb[..., 0] = cv2.equalizeHist(ycrcb[..., 0])
    cv2.imwrite(target, cv2.cvtColor(ycrcb, cv2.COLOR_YCrCb2BGR))


def main(source, target, processes):
    names = sorted(name for name in os.listdir(source) if name.endswith(".png"))
    pairs = [(os.path.join(source, name), os.path.join(target, name)) for name in names]
    # One thread per process: the processes already provide the parallelism, and more threads would only compete.
    with multiprocessing.Pool(int(processes), initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        for _ in pool.imap_unordered(equalize, pairs):
            pass


if __name__ == "__main__":
    main(*sys.argv[1:])
