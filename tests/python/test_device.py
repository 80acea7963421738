#!/usr/bin/env python3
"""Tests images of the Python module on a CUDA device with PyTorch, and with CuPy if it is installed.

usage: test_device.py SAMPLES [unittest arguments]   with the package in PYTHONPATH. Skipped (77) without a device.
"""
import gc
import pathlib
import subprocess
import sys
import tempfile
import unittest

import gpuimg


def why_skipped():
    try:
        import torch
    except ImportError:
        return "PyTorch is not installed"
    if not torch.cuda.is_available():
        return "there is no CUDA device"
    try:
        gpuimg.read(pathlib.Path(sys.argv[1]) / "night.png", device="cuda")
    except gpuimg.Error as error:
        if error.kind != "backend_unavailable":
            raise
        return str(error)
    return None


reason = why_skipped()
if reason:
    print("skipped:", reason)
    sys.exit(77)

import numpy as np
import torch

try:
    import cupy
except ImportError:
    cupy = None

SAMPLES = pathlib.Path(sys.argv[1])
FILES = sorted(path for path in SAMPLES.iterdir() if path.suffix in (".png", ".jpg"))
NIGHT = SAMPLES / "night.png"


def busy_stream():
    """A PyTorch stream with about 0.2 s of work."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(400_000_000)
    return stream


def host_of(tensor):
    return tensor.cpu().numpy()


class ArraysFromImages(unittest.TestCase):
    """gpuimg's images become arrays of other libraries."""

    def test_pixels_match_the_host(self):
        for path in FILES:
            with self.subTest(path=path.name):
                expected, image = np.asarray(gpuimg.read(path)), gpuimg.read(path, device="cuda")
                self.assertEqual(image.device, "cuda:0")
                self.assertEqual((image.shape, image.dtype), (expected.shape, expected.dtype))
                np.testing.assert_array_equal(np.asarray(image), expected)
                np.testing.assert_array_equal(np.from_dlpack(image.to("cpu")), expected)
                tensor = torch.from_dlpack(image)
                self.assertEqual(tensor.device, torch.device("cuda:0"))
                np.testing.assert_array_equal(host_of(tensor), expected)
                if cupy:
                    np.testing.assert_array_equal(cupy.asnumpy(cupy.from_dlpack(image)), expected)
                    np.testing.assert_array_equal(cupy.asnumpy(cupy.asarray(image)), expected)

    @unittest.skipIf(torch.cuda.device_count() < 2, "there is one device")
    def test_the_current_device_is_unchanged(self):
        torch.cuda.set_device(0)
        image = gpuimg.read(NIGHT, device="cuda:1").equalize()
        np.testing.assert_array_equal(host_of(torch.from_dlpack(image)), np.asarray(gpuimg.read(NIGHT).equalize()))
        self.assertEqual(torch.cuda.current_device(), 0)
        moved = image.to("cuda:0").to("cuda:1")
        del image, moved
        gc.collect()
        for item in gpuimg.read_many([NIGHT] * 3, device="cuda:1"):
            self.assertEqual(item.image.device, "cuda:1")
        del item
        with tempfile.TemporaryDirectory() as folder:
            gpuimg.run(["equalize", "--backend", "cuda", "--device", "1", NIGHT, pathlib.Path(folder) / "a.png"])
        gpuimg.run("doctor --backend cuda")
        self.assertEqual(torch.cuda.current_device(), 0)

    def test_arrays_share_the_images_memory(self):
        image = gpuimg.read(NIGHT, device="cuda")
        address = image.__cuda_array_interface__["data"][0]
        self.assertEqual(torch.from_dlpack(image).data_ptr(), address)
        self.assertEqual(torch.as_tensor(image, device="cuda").data_ptr(), address)
        self.assertEqual(image.__cuda_array_interface__["version"], 3)
        self.assertEqual(image.__dlpack_device__(), (2, 0))
        with self.assertRaises(ValueError):
            image.__array__(copy=False)
        with self.assertRaises(BufferError):
            image.__dlpack__(dl_device=(1, 0), copy=False)

    def test_any_stream_can_read_without_waiting(self):
        expected = np.asarray(gpuimg.read(NIGHT).equalize().resize("50%"))
        for _ in range(20):
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                copy = torch.from_dlpack(gpuimg.read(NIGHT, device="cuda").equalize().resize("50%")).clone()
            stream.synchronize()
            np.testing.assert_array_equal(host_of(copy), expected)

    def test_the_array_outlives_the_image(self):
        expected = np.asarray(gpuimg.read(NIGHT))
        tensor = torch.from_dlpack(gpuimg.read(NIGHT, device="cuda"))
        gc.collect()
        others = [gpuimg.read(NIGHT, device="cuda").flip("horizontal") for _ in range(20)]
        np.testing.assert_array_equal(host_of(tensor), expected)
        del others

    def test_memory_is_freed_after_the_streams_that_read_it(self):
        expected = np.asarray(gpuimg.read(NIGHT))
        for through_dlpack in (True, False):
            image = gpuimg.read(NIGHT, device="cuda")
            tensor = torch.from_dlpack(image) if through_dlpack else torch.as_tensor(image, device="cuda")
            stream = busy_stream()
            with torch.cuda.stream(stream):
                copy = tensor.clone()  # runs after the stream's earlier work
            del tensor, image
            gc.collect()
            others = [gpuimg.from_array(np.full_like(expected, 255), device="cuda") for _ in range(8)]
            stream.synchronize()
            np.testing.assert_array_equal(host_of(copy), expected)
            del others

    def test_an_array_can_be_read_at_interpreter_exit(self):
        code = (f"import gpuimg, torch, atexit\n"
                f"keep = torch.from_dlpack(gpuimg.read({str(NIGHT)!r}, device='cuda'))\n"
                f"atexit.register(lambda: print(int(keep.sum())))\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(int(done.stdout), int(np.asarray(gpuimg.read(NIGHT)).sum()))

    def test_many_arrays_leak_no_memory(self):
        def round_of(count):
            for i in range(count):
                torch.from_dlpack(gpuimg.read(NIGHT, device="cuda").equalize())
            torch.cuda.synchronize()
            return torch.cuda.mem_get_info()[0]
        free = round_of(50)
        self.assertGreater(round_of(500), free - (64 << 20))


class ImagesFromArrays(unittest.TestCase):
    """Arrays of other libraries become images."""

    def test_pixels_and_device_are_kept(self):
        for dtype in (torch.uint8, torch.uint16):
            for shape in ((40, 30), (40, 30, 1), (40, 30, 3), (40, 30, 4)):
                values = np.random.default_rng(1).integers(0, 256 if dtype == torch.uint8 else 65536, shape)
                pixels = values.astype(np.uint8 if dtype == torch.uint8 else np.uint16)
                image = gpuimg.from_array(torch.from_numpy(pixels).cuda())
                self.assertEqual(image.device, "cuda:0")
                expected = pixels[:, :, 0] if shape[2:] == (1,) else pixels
                np.testing.assert_array_equal(np.asarray(image), expected)
                np.testing.assert_array_equal(np.asarray(image.equalize()), np.asarray(gpuimg.from_array(pixels).equalize()))
                self.assertEqual(gpuimg.from_array(torch.from_numpy(pixels).cuda(), device="cpu").device, "cpu")
                self.assertEqual(gpuimg.from_array(pixels, device="cuda").device, "cuda:0")

    def test_cuda_array_interface(self):
        class Bare:  # without DLPack, like Numba's arrays
            def __init__(self, tensor):
                self.tensor, self.__cuda_array_interface__ = tensor, tensor.__cuda_array_interface__
        pixels = torch.arange(60 * 50 * 3, device="cuda").to(torch.uint8).reshape(60, 50, 3)
        for view in (pixels, pixels[10:40], pixels[::2]):
            np.testing.assert_array_equal(np.asarray(gpuimg.from_array(Bare(view))), host_of(view))
            np.testing.assert_array_equal(np.asarray(gpuimg.from_array(view)), host_of(view))

    def test_waits_for_the_stream_that_computes_the_array(self):
        pixels = torch.zeros(500, 400, 3, dtype=torch.uint8, device="cuda")
        torch.cuda.synchronize()
        with torch.cuda.stream(busy_stream()):
            pixels.fill_(7)  # runs after the stream's earlier work
            image = gpuimg.from_array(pixels)
        self.assertTrue((np.asarray(image) == 7).all())

    def test_the_image_is_a_copy(self):
        pixels = torch.full((50, 40), 3, dtype=torch.uint8, device="cuda")
        image = gpuimg.from_array(pixels)
        pixels.zero_()
        self.assertTrue((np.asarray(image) == 3).all())

    def test_unsupported_arrays_are_rejected(self):
        pixels = torch.zeros(20, 20, 3, dtype=torch.uint8, device="cuda")
        for bad in (pixels.permute(2, 0, 1), pixels[:, ::2], pixels.float(), pixels[None]):
            with self.assertRaises(gpuimg.Error) as caught:
                gpuimg.from_array(bad)
            self.assertEqual(caught.exception.kind, "unsupported")


class ManyFiles(unittest.TestCase):
    def test_images_arrive_in_order_on_the_device(self):
        for then in (None, "resize --size 224x224 --fit cover"):
            expected = [np.asarray(gpuimg.chain(then)(gpuimg.read(path)) if then else gpuimg.read(path)) for path in FILES]
            items = list(gpuimg.read_many(FILES * 5, device="cuda", workers=8, then=then))
            self.assertEqual([item.index for item in items], list(range(5 * len(FILES))))
            for item in items:
                self.assertIsNone(item.error)
                np.testing.assert_array_equal(host_of(torch.from_dlpack(item.image)), expected[item.index % len(FILES)])

    def test_files_of_device_images_match_the_hosts(self):
        with tempfile.TemporaryDirectory() as folder:
            for extension in ("png", "jpg"):
                image = gpuimg.read(NIGHT, device="cuda")
                image.write(f"{folder}/a.{extension}")
                gpuimg.read(NIGHT).write(f"{folder}/b.{extension}")
                self.assertEqual(pathlib.Path(f"{folder}/a.{extension}").read_bytes(),
                                 pathlib.Path(f"{folder}/b.{extension}").read_bytes())
                self.assertEqual(image.encode(extension), pathlib.Path(f"{folder}/b.{extension}").read_bytes())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
