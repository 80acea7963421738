"""Scenarios of the CUDA fault sweeps: operations, verification, strips, batches on one device and on all devices, and
JPEG files, which the device decodes and encodes. Most scenarios write PNG, which the device encodes."""
from scenarios import Scenario, folder, make, png


def cuda(name, operation, make_inputs, *words, **more):
    """-q suppresses the notes that the stand-in causes, because its kernels neither decode nor encode."""
    return Scenario(name, [operation, "--backend", "cuda", "--threads", "2", "-q", *words], make_inputs, cuda=True,
                    timeout=60, **more)


def batch(name, operation, *words, **more):
    return cuda(name, operation, more.pop("make_inputs", folder), *words, one_output=False, is_batch=True, **more)


def folder_of_a_megapixel(work):
    (work / "in").mkdir()
    for i in range(4):
        make(work, "png", f"in/{i}.png", "600x400", "gray", "8", i)


def folder_with_16_bits(work):
    folder(work)
    make(work, "png", "in/deep.png", "50x60", "rgba", "16", 7)
    make(work, "png", "in/large.png", "900x700", "gray", "8", 8)


def jpeg(size, kind):
    return lambda work: make(work, "jpeg", "in.jpg", size, kind)


def folder_of_jpegs(work):
    """JPEG files for every path through the decoder: states found by the device or (flat) by the host, and damage."""
    (work / "in").mkdir()
    make(work, "jpeg", "in/0.jpg", "160x96", "color")
    make(work, "jpeg", "in/1.jpg", "1280x1024", "flat")
    make(work, "jpeg", "in/2.jpg", "160x96", "color")
    make(work, "jpeg", "in/3.jpg", "640x480", "gray")
    make(work, "png", "in/4.png", "50x60", "rgb", "8", 7)
    make(work, "jpeg", "in/5.jpg", "80x80", "color")
    damaged = work / "in" / "2.jpg"
    damaged.write_bytes(damaged.read_bytes()[:400])


CUDA_SCENARIOS = [
    cuda("cuda_equalize", "equalize", png("60x40"), "in.png", "out.png"),
    cuda("cuda_equalize_gray16", "equalize", png("300x200", "gray", "16"), "in.png", "out.png"),
    cuda("cuda_equalize_rgb_lut", "equalize", png("60x40"), "--color", "rgb", "--lut", "lut.csv", "in.png", "out.png",
         one_output=False),
    cuda("cuda_clahe", "equalize", png("120x80"), "--clahe", "in.png", "out.png"),
    cuda("cuda_clahe_gray16", "equalize", png("60x40", "gray", "16"), "--clahe", "--tiles", "3x2", "in.png", "out.png"),
    cuda("cuda_clahe_strips", "equalize", png("200x300", "gray"), "--clahe", "--max-device-memory", "256K", "in.png",
         "out.png"),
    cuda("cuda_match", "equalize", png("60x40"), "--match", "in.png", "in.png", "out.png"),
    cuda("cuda_equalize_force", "equalize", png("60x40", "rgba"), "--force", "in.png", "out.png", old_files=("out.png",)),
    cuda("cuda_hist", "hist", png("60x40", "rgba"), "--channel", "rgb", "in.png", "out.json"),
    cuda("cuda_hist_stdout", "hist", png("60x40"), "--channel", "h", "in.png"),
    cuda("cuda_integral", "integral", png("700x500"), "in.png", "out.npy"),
    cuda("cuda_mean", "integral", png("300x200", "gray"), "--mean", "31", "in.png", "out.png"),
    cuda("cuda_mean_rgba16", "integral", png("200x150", "rgba", "16"), "--mean", "257", "in.png", "out.png"),
    cuda("cuda_deviation", "integral", png("120x80"), "--deviation", "15", "in.png", "out.npy"),
    cuda("cuda_mean_strips", "integral", png("200x300"), "--mean", "5", "--max-device-memory", "256K", "in.png",
         "out.png"),
    cuda("cuda_threshold_otsu", "threshold", png("60x40"), "in.png", "out.png"),
    cuda("cuda_threshold_bradley", "threshold", png("120x80", "gray"), "--method", "bradley", "in.png", "out.png"),
    cuda("cuda_threshold_sauvola", "threshold", png("60x40", "gray", "16"), "--method", "sauvola", "in.png", "out.png"),
    cuda("cuda_threshold_wolf", "threshold", png("60x40", "rgba"), "-q", "--method", "wolf", "in.png", "out.png"),
    cuda("cuda_threshold_wolf_strips", "threshold", png("200x300"), "--method", "wolf", "--window", "5",
         "--max-device-memory", "512K", "in.png", "out.png"),
    cuda("cuda_threshold_classes", "threshold", png("60x40"), "--flatten", "9", "--classes", "5", "in.png", "out.png"),
    cuda("cuda_threshold_strips", "threshold", png("200x300"), "--max-device-memory", "64K", "in.png", "out.png"),
    cuda("cuda_denoise", "denoise", png("60x40"), "in.png", "out.png"),
    cuda("cuda_denoise_gray16", "denoise", png("60x40", "gray", "16"), "--patch", "9", "in.png", "out.png"),
    cuda("cuda_denoise_strips", "denoise", png("200x300"), "--search", "5", "--max-device-memory", "256K", "in.png",
         "out.png"),
    cuda("cuda_hsl", "hsl", png("60x40"), "in.png", "out.npy"),
    cuda("cuda_hsl_adjust", "hsl", png("60x40"), "--hue", "30", "in.png", "out.png"),
    cuda("cuda_jpeg", "equalize", jpeg("160x96", "color"), "in.jpg", "out.png"),
    cuda("cuda_png_decoded", "hist", png("900x600"), "in.png", "out.json"),
    cuda("cuda_png_encoded", "hsl", png("300x200", "rgba", "16"), "in.png", "out.png"),
    cuda("cuda_jpeg_encoded", "equalize", jpeg("160x96", "color"), "in.jpg", "out.jpg"),
    cuda("cuda_jpeg_walked", "hist", jpeg("1280x1024", "flat"), "in.jpg", "out.json"),
    cuda("cuda_verify", "equalize", png("60x40"), "--verify", "in.png", "out.png", compares=True),
    Scenario("cuda_verifies_cpu", ["hsl", "--backend", "cpu", "--verify", "in.png", "out.npy"], png("60x40"), cuda=True,
             compares=True, timeout=60),
    cuda("cuda_strips", "equalize", png("200x300"), "--max-device-memory", "256K", "in.png", "out.png"),
    cuda("cuda_strips_integral", "integral", png("200x300"), "--max-device-memory", "256K", "in.png", "out.npy"),
    batch("cuda_batch", "equalize", "--jobs", "2", "in", "out"),
    batch("cuda_batch_in_turn", "equalize", "--jobs", "1", "--manifest", "done.jsonl", "in", "out", manifest="done.jsonl",
          in_turn=True, make_inputs=folder_with_16_bits),
    batch("cuda_batch_devices", "hsl", "--jobs", "4", "--devices", "all", "--manifest", "done.jsonl", "in", "out",
          manifest="done.jsonl"),
    batch("cuda_batch_denoise", "denoise", "--search", "5", "--jobs", "2", "in", "out"),
    batch("cuda_batch_verify", "integral", "--jobs", "2", "--verify", "in", "out", compares=True),
    batch("cuda_batch_strips", "equalize", "--jobs", "2", "--max-device-memory", "512K", "in", "out",
          make_inputs=folder_with_16_bits),
    batch("cuda_batch_jpeg", "equalize", "--jobs", "2", "--format", "png", "in", "out", make_inputs=folder_of_jpegs,
          exit_code=1),
    batch("cuda_batch_jpeg_encoded", "hsl", "--hue", "30", "--jobs", "2", "--format", "jpg", "in", "out",
          make_inputs=folder_of_jpegs, exit_code=1),
    batch("cuda_batch_jpeg_in_turn", "equalize", "--jobs", "1", "--manifest", "done.jsonl", "in", "out",
          manifest="done.jsonl", in_turn=True, make_inputs=folder_of_jpegs, exit_code=1),
    batch("cuda_merge", "hist", "--merge", "--jobs", "2", "in", "sum.json", whole_or_nothing=False),
    # Writes BMP, which the device does not encode. `auto` prefers the device, because the windows of a megapixel take
    # one thread longer than CUDA takes to start; if the device fails, `auto` falls back to the CPU.
    Scenario("cuda_auto", ["denoise", "--threads", "1", "in.png", "out.bmp"], png("1200x800", "gray"), cuda=True,
             can_do_without=True, timeout=60),
    Scenario("cuda_auto_batch", ["denoise", "--threads", "1", "--format", "bmp", "in", "out"], folder_of_a_megapixel,
             one_output=False, is_batch=True, cuda=True, can_do_without=True, timeout=60),
]
