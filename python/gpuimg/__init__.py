"""Exact pixels at the speed of a GPU: image files, NumPy arrays and tensors, and the operations of the gpuimg tool.

Every operation of the command line is a method of Image, with the same name, defaults and checks, and gives the
same bytes. docs/python.md.
"""
import collections
import os
import sys

from . import _core, _methods

__all__ = ["Error", "Failure", "Image", "Item", "Result", "chain", "decode", "from_array", "read", "read_many", "run", "__version__"]
__version__ = _core.version().split()[0]


class Error(Exception):
    """An error that gpuimg reports. str() is the message that the command line prints; `kind` classifies the error.

    kind is one of usage, read, write, decode, unsupported, backend_unavailable, out_of_memory, device_fault, mismatch,
    check_failed and internal.
    """

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind

    def __reduce__(self):
        return Error, (self.kind, str(self))


_core.set_error(Error)
Image = _core.Image
Image.__module__ = "gpuimg"
_methods.add_to(Image, Error)

Item = collections.namedtuple("Item", "index path image error")
Item.__doc__ = "A file of read_many: its place in the list, its path, and its image, or an Error instead of the image."

Failure = collections.namedtuple("Failure", "path kind message")
Failure.__doc__ = "A failed image of a run. path is None if the run failed as a whole, or if its only file failed."

Result = collections.namedtuple("Result", "exit_code done failed skipped failures")
Result.__doc__ = """The outcome of a command line: its exit code, numbers of images, and the first 10,000 Failures.

docs/cli.md lists the exit codes.
"""


def _path(path):
    """A path as the bytes that the operating system uses."""
    return os.fsencode(path)


def read(file, *, device="cpu", page=None, auto_orient=True, lenient=False, max_pixels=1 << 30):
    """Reads an image from a file, or from the bytes of a file. The pixels are exact and upright.

    page: which image of a multi-image file to read, counted from 1. auto_orient: apply the EXIF orientation. lenient:
    decode as much of a damaged JPEG as possible; Image.notes then describes the damage. max_pixels: reject an image
    that declares more pixels.
    """
    reading = _core.Reading(auto_orient, lenient, max_pixels)
    if isinstance(file, (bytes, bytearray, memoryview)):
        return _core.decode(bytes(file), device, page or 0, reading)
    return _core.read_file(_path(file), device, page or 0, reading)


def decode(data, **options):
    """Reads an image from the bytes of a file. Takes the same options as read()."""
    return read(bytes(data), **options)


def from_array(array, *, device=None):
    """Copies an array to an image. The array has the shape (H, W) or (H, W, 1 to 4), and holds uint8 or uint16.

    The array comes from NumPy, PyTorch or CuPy, or from any object with DLPack, the buffer protocol or
    __cuda_array_interface__. device: the device that holds the image; None keeps the array's device. If the array is in
    the memory of a CUDA device, first waits for all streams of that device.
    """
    if isinstance(array, Image):
        return array if device is None else array.to(device)
    if not isinstance(device, (str, type(None))):
        raise Error("usage", f'from_array: device must be a name such as "cuda:0", not {device!r}')
    interface = None if hasattr(array, "__dlpack__") else getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return _core.from_cuda_interface(interface, device)
    try:
        return _core.from_array(array, device)
    except TypeError:
        pass
    if getattr(getattr(array, "dtype", None), "isnative", True) is False:
        raise Error("unsupported", "from_array: the byte order of the samples is not this machine's; convert them with "
                                   "array.astype(array.dtype.newbyteorder('='))")
    raise Error("unsupported", "from_array: not an array of numbers; give one of NumPy, or with DLPack")


def chain(words):
    """Prepares steps for any number of images. Write them as on the command line:
    chain("resize --size 50% --then flip horizontal").

    Call the result with an image; it returns the processed image.
    """
    return _core.Chain(_methods.words_of(words))


def read_many(paths, *, device="cpu", workers=0, max_memory=2 << 30, then=None, auto_orient=True, lenient=False,
              max_pixels=1 << 30):
    """Reads files in advance on several threads, and yields an Item for each, in order.

    The Item of a bad file has an error instead of an image. workers: threads, 0 for one per processor. max_memory:
    limit in bytes on the images that are being read or not yet taken. then: a chain(), or the words of one, to apply
    to each image.
    """
    paths = [os.fspath(path) for path in paths]
    if then is not None and not isinstance(then, _core.Chain):
        then = chain(then)
    reader = _core.Reader([_path(path) for path in paths], device, workers, max_memory,
                          _core.Reading(auto_orient, lenient, max_pixels), then)
    return _items(reader, paths)


def _items(reader, paths):
    try:
        while True:
            try:
                index, image, error = reader.next()
            except StopIteration:
                return
            yield Item(index, paths[index], image, Error(*error) if error else None)
    finally:
        reader.stop()


def run(words):
    """Runs a command line in this process: run("equalize photos/ out/ --manifest run.jsonl"), or a list of words.

    Prints the same output as the tool. Ctrl-C ends a batch once the images in flight are done; a run with a single file
    writes nothing. Then KeyboardInterrupt is raised, or the program's own handler runs. A second Ctrl-C ends the
    process.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    *counts, failures = _core.run(_methods.words_of(words))
    return Result(*counts, [Failure(path and os.fsdecode(path), kind, os.fsdecode(message))
                            for path, kind, message in failures])
