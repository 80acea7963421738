# 17000x17000 equal pixels in 1340 bytes; decoding them would take 1.7 GB and 13 s.
[ "$GPUIMG_SANITIZED" = 0 ] || { echo 'a sanitizer takes time and memory of its own'; exit 77; }
case $(gpuimg version) in *AV1*) ;; *) echo 'no decoder of AV1'; exit 77 ;; esac
base64 -d <<'BASE64' | gunzip >bomb.avif
H4sIAAAAAAACA2NgYJBJK6ksSCzLTGMAAhCdm5lmmJuZCOJ/yE0tSWSAAI2MlJwiKJuhIDO5hAEJ5GQmwYzgK8gsyQULMgKxXGZO
fjKI4wLiM0JEGUUYGFg0QGZmZualwdVKATmpTFBeYpmBoXN+Tj7YyozMgqICIO2ZWZCcD6RFMosLUiE2O2VAMMjeikywZg4gwZNY
ZujcKC8DEhBOzs8pykvOqQCay8vA1gAUEs8syIV5DOgsFkamZhagmwxyUxJLhBi4uOV/LzQ+lP60oa05wGgahwD7DwaGDgZ5hp81
v66Z8R//tuDjwqOpZg37le589H9rbnJFxILZ+cjzhOGhQBauYHqq86HP21AVbBgNhdFQgIWCHH79D4a6PD7fWwAAyiywnTwFAAA=
BASE64
python3 - <<'P'
import struct

bomb = bytearray(open("bomb.avif", "rb").read())


def grow(kind, by, at=0):
    """Adds to the size of a box, or to an offset; `at` counts from the box's name."""
    place = bomb.index(kind) - 4 + at
    bomb[place:place + 4] = struct.pack(">I", struct.unpack(">I", bomb[place:place + 4])[0] + by)


# A crop to 64x64 pixels, added as a fifth property.
crop = struct.pack(">I4s8I", 40, b"clap", 64, 1, 64, 1, 0, 1, 0, 1)
place = bomb.index(b"ipma") - 4
bomb[place:place] = crop
place = bomb.index(b"mdat") - 4
bomb[place:place] = b"\x85"
bomb[place - 5] += 1  # properties of the image
for kind, by in (b"ipco", 40), (b"ipma", 1), (b"iprp", 41), (b"meta", 41):
    grow(kind, by)
grow(b"iloc", 41, 22)
open("cropped.avif", "wb").write(bomb)

# The boxes declare 64x64 pixels for the same data.
bomb = bytearray(open("bomb.avif", "rb").read())
place = bomb.index(b"ispe") + 8
bomb[place:place + 8] = struct.pack(">2I", 64, 64)
open("false.avif", "wb").write(bomb)
P
for file in bomb.avif cropped.avif false.avif; do
  expect 3 gpuimg equalize $file out.png
  took=$(run_ms gpuimg equalize $file out.png)
  [ "$took" -lt 500 ] || echo "$file took $took ms"
done
gpuimg info --json cropped.avif | grep -c '"width": 64,'
python3 - <<'P'
import resource, subprocess
subprocess.run(["gpuimg", "equalize", "bomb.avif", "out.png"], stderr=subprocess.DEVNULL)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("within 64 MB" if peak < 64 * 1024 else f"took {peak} KB")
P
expect 3 gpuimg equalize --max-pixels 1000000 cropped.avif out.png
