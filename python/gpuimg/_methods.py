"""Generates the methods of Image, and their type stubs, from the lists that also define --help.

python -c 'import gpuimg._methods as m; m.write_stubs("FILE")' writes the stubs.
"""
import atexit
import inspect
import io
import json
import keyword
import os
import shlex

from . import _core

COMMANDS = {command["name"]: command for command in _core.commands()}

# Commands whose result can be numbers instead of an image, and the format of these numbers.
NUMBERS = {"hist": "json", "integral": "npy", "hsl": "npy"}
# Steps without a method: write() replaces convert, and duplicates needs several images.
NO_METHODS = {"convert", "duplicates"}
# Options without a parameter. For example, options of `hist` control how counts are drawn, added up or printed, but the
# method only returns the counts.
LEFT_OUT = {"hist": {"format", "chart", "summary", "log", "title", "overlay", "merge", "table", "columns", "total", "fail-if"}, "hsl": {"planes"},
            "equalize": {"lut"}}


def words_of(words):
    """The words of a command line, as bytes. Splits a string like a shell; takes a sequence of words as it is."""
    return [os.fsencode(word) for word in (shlex.split(words) if isinstance(words, str) else words)]


def python_name(name):
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def text_of(option, value):
    """A value as written on the command line: 0.5, "luma", (800, None) as 800x, (0, 0, 10, 10) as 0,0,10,10."""
    if isinstance(value, (tuple, list)):
        between = "," if "," in option["placeholder"] or option["placeholder"] == "COLOR" else "x"
        return between.join("" if part is None else text_of(option, part) for part in value)
    if isinstance(value, bool) or value is None:
        raise TypeError(f"{option['name']}: takes a value, not {value!r}")
    if isinstance(value, (str, bytes, os.PathLike)):
        return os.fsencode(value).decode("utf-8", "surrogateescape")
    if isinstance(value, float):
        return format(value, ".17g") if "e" not in repr(value) else format(value, ".20f")
    return str(value)


def option_words(options, values):
    """The words for keyword arguments. None keeps an option's default; True sets a flag."""
    words = []
    for key, value in values.items():
        option = options[key]
        if value is None or (value is False and not option["placeholder"]):
            continue
        if not option["placeholder"]:
            if value is not True:
                raise TypeError(f"{key}: must be True or False, not {value!r}")
            words.append("--" + option["name"])
            continue
        several = value if option["repeats"] and isinstance(value, (list, tuple)) else [value]
        words += [f"--{option['name']}={text_of(option, one)}" for one in several]
    return words


def options_of(command, of_run=False):
    """The options of an operation, or of the file that it writes, as a dict by Python name."""
    left_out = LEFT_OUT.get(command["name"], set())
    return {python_name(option["name"]): option for option in command["options"]
            if option["group"] == ("Output" if of_run else "Options") and option["is_of_run"] == of_run
            and option["name"] not in left_out and option["name"] not in ("help", "format")}


WRITING = {python_name(option["name"]): option for option in COMMANDS["convert"]["options"]
           if option["is_of_run"] and option["name"] != "format"}


def signature_of(command):
    """Words such as the angle of rotate come first, then the options. If there are no words, the first option can be
    passed by position."""
    kind = inspect.Parameter
    parameters = [kind("self", kind.POSITIONAL_ONLY)]
    parameters += [kind(word["name"].lower(), kind.POSITIONAL_OR_KEYWORD) for word in command["words"]]
    options = options_of(command)
    for i, name in enumerate(options):
        is_first = i == 0 and not command["words"]
        parameters.append(kind(name, kind.POSITIONAL_OR_KEYWORD if is_first else kind.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters)


def doc_of(command):
    lines = [command["description"][0].upper() + command["description"][1:] + ".", ""]
    for name, option in options_of(command).items():
        choices = f" ({', '.join(option['choices'])})" if option["choices"] else ""
        default = f" [{option['default']}]" if option["default"] else ""
        lines.append(f"{name}: {option['text']}{choices}{default}")
    return "\n".join(lines)


def numbers_in(content, form, numpy):
    if form == "npy":
        return numpy.load(io.BytesIO(content))
    histograms = json.loads(content)["histograms"]
    rows = [numpy.array(one.get("values", one["counts"])) for one in histograms]
    rows = [row.astype(numpy.uint64) if row.dtype.kind in "iu" else row for row in rows]
    return rows[0] if len(rows) == 1 else numpy.stack(rows)


def method_of(command, chains):
    name, form = command["name"], NUMBERS.get(command["name"])
    signature, options = signature_of(command), options_of(command)

    def method(self, *given, **named):
        values = signature.bind(self, *given, **named).arguments
        del values["self"]
        words = [text_of({"name": word["name"], "placeholder": "WORD"}, values.pop(word["name"].lower()))
                 for word in command["words"]]
        words += option_words(options, values)
        if form is None or is_image(name, values):
            return chained(chains, (name, *words))(self)
        import numpy  # imported here because only methods that return arrays need it
        return numbers_in(self._numbers(name, [os.fsencode(word) for word in words], form), form, numpy)

    method.__name__ = method.__qualname__ = name
    method.__qualname__ = "Image." + name
    method.__doc__ = doc_of(command)
    method.__signature__ = signature
    return method


def is_image(name, values):
    """True if the result is an image: for integral, the mean; for hsl, an adjustment or the inverse conversion."""
    which = {"integral": ("mean",), "hsl": ("inverse", "hue", "saturation", "lightness")}.get(name, ())
    return any(values.get(key) is not None and values.get(key) is not False for key in which)


def chained(chains, words):
    """The chain for these words, built and checked once. A chain that reads a file is built again for each call,
    because the file may have changed."""
    made = chains.get(words)
    if made is None:
        made = _core.Chain([os.fsencode(word) for word in words])
        if len(chains) > 256:
            chains.clear()
        if not any(word.startswith(("--mask", "--match", "--reference", "--apply")) for word in words):
            chains[words] = made
    return made


def histogram_report(self, channel=None, **options):
    """The output of `hist --format json` as a dict: counts, statistics and percentiles of each channel."""
    known = options_of(COMMANDS["hist"])
    words = option_words(known, {"channel": channel, **options})
    return json.loads(self._numbers("hist", [os.fsencode(word) for word in words], "json"))


def write(self, path, *, force=False, format=None, **options):
    """Writes the image to a file. If writing fails, the path stays unchanged. force: replace an existing file.

    Takes the options of `gpuimg convert`. Keeps the metadata of the file that the image was read from.
    """
    words = [f"--format={format}"] if format is not None else []
    words += option_words(WRITING, options)
    self._write(os.fsencode(path), bool(force), [os.fsencode(word) for word in words])


def encode(self, format, **options):
    """The bytes that write() would write to a file of this format, for example encode("jpg", quality=90)."""
    return self._encode(format, [os.fsencode(word) for word in option_words(WRITING, options)])


def shape(self):
    """(height, width) for gray, else (height, width, channels)."""
    return (self.height, self.width) + ((self.channels,) if self.channels > 1 else ())


def dtype(self):
    """numpy.uint8 or numpy.uint16, as a numpy.dtype."""
    import numpy
    return numpy.dtype(f"uint{self.bits}")


def found(self):
    """Values that the steps found in the image: {"angle": -2.45}, {"threshold": 120}, {"thresholds": [80, 120]}."""
    return {name: json.loads(f"[{text}]") if name.endswith("s") else json.loads(text) for name, text in self._found}


def array(self, dtype=None, copy=None):
    """For numpy.asarray: the pixels, read-only. They are not copied if the image is on the host."""
    if copy is False and self.device != "cpu":
        raise ValueError("an image on a device must be copied to become a NumPy array")
    pixels = self._numpy()
    if dtype is not None and pixels.dtype != dtype:
        if copy is False:
            raise ValueError("another dtype needs a copy")
        return pixels.astype(dtype)
    return pixels.copy() if copy else pixels


def dlpack(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """The pixels, without a copy, for torch.from_dlpack and other consumers of DLPack.

    Pixels on a device are complete when this returns, so the consumer can read them on any stream.
    """
    image = self
    if dl_device is not None and tuple(dl_device) == (1, 0) and self.device != "cpu":
        if copy is False:
            raise BufferError("an image on a device must be copied to the host")
        image = self.to("cpu")
    return image._dlpack().__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def dlpack_device(self):
    return self._dlpack().__dlpack_device__()


def to(self, device):
    """The image on another device: "cpu", "cuda" or "cuda:N"."""
    return self._to(device)


def text(self):
    colors = {1: "gray", 2: "gray and alpha", 3: "RGB", 4: "RGB and alpha"}[self.channels]
    return f"<gpuimg.Image {self.width}x{self.height}, {colors}, {self.bits} bits, on {self.device}>"


BY_HAND = {"write": write, "encode": encode, "to": to, "histogram_report": histogram_report, "__array__": array,
           "__dlpack__": dlpack, "__dlpack_device__": dlpack_device, "__repr__": text}
OPERATIONS = [command for command in COMMANDS.values() if command["is_step"] and command["name"] not in NO_METHODS]


def add_to(image, error):
    """Adds the generated and the handwritten methods to the class."""
    chains = {}
    atexit.register(chains.clear)
    for name, function in BY_HAND.items():
        setattr(image, name, function)
    image.shape = property(shape)
    image.dtype = property(dtype)
    image.found = property(found)
    for command in OPERATIONS:
        setattr(image, python_name(command["name"]), method_of(command, chains))


# --- Type stubs -------------------------------------------------------------------------------------------------------


def annotation_of(option):
    if not option["placeholder"]:
        return "bool"
    values = "str | int | float | tuple"
    if option["choices"]:
        names = ", ".join(json.dumps(choice) for choice in option["choices"])
        is_closed = option["placeholder"] in ("NAME", "MODE", "WHAT", "TYPE")
        return f"Literal[{names}]" if is_closed else f"Literal[{names}] | {values}"
    return values + " | os.PathLike" if option["placeholder"].startswith("FILE") else values


def stub_of(command):
    result = "Image" if command["name"] not in NUMBERS else "Any" if command["name"] != "hist" else "np.ndarray"
    words = [f"{word['name'].lower()}: {word_annotation(word)}" for word in command["words"]]
    options = [f"{name}: {annotation_of(option)} | None = ..." for name, option in options_of(command).items()]
    first = words or options[:1]
    rest = options if words else options[1:]
    parameters = ", ".join(["self", *first] + (["*", *rest] if rest else []))
    return f"    def {python_name(command['name'])}({parameters}) -> {result}: ..."


def word_annotation(word):
    return f"Literal[{', '.join(json.dumps(choice) for choice in word['choices'])}] | int"


def stubs():
    writing = ", ".join(f"{name}: {annotation_of(option)} | None = ..." for name, option in WRITING.items())
    reading = "page: int | None = ..., auto_orient: bool = ..., lenient: bool = ..., max_pixels: int = ..."
    return "\n".join([
        "# Written by gpuimg._methods, from the lists that --help is made from.",
        "import os",
        "from typing import Any, Callable, Iterable, Iterator, Literal, NamedTuple, Sequence",
        "",
        "import numpy as np",
        "",
        "__version__: str",
        "",
        "class Error(Exception):",
        "    kind: str",
        "    def __init__(self, kind: str, message: str) -> None: ...",
        "",
        "class Image:",
        *(f"    @property\n    def {name}(self) -> {kind}: ..." for name, kind in [
            ("width", "int"), ("height", "int"), ("channels", "int"), ("bits", "int"), ("device", "str"),
            ("notes", "list[str]"), ("metadata", "dict[str, Any]"), ("found", "dict[str, Any]"), ("shape", "tuple[int, ...]"), ("dtype", "np.dtype"),
            ("__cuda_array_interface__", "dict[str, Any]")]),
        *(stub_of(command) for command in OPERATIONS),
        "    def histogram_report(self, channel: str | None = ..., **options: Any) -> dict[str, Any]: ...",
        f"    def write(self, path: str | bytes | os.PathLike, *, force: bool = ..., format: str | None = ..., {writing}) -> None: ...",
        f"    def encode(self, format: str, *, {writing}) -> bytes: ...",
        "    def to(self, device: str) -> Image: ...",
        "    def __array__(self, dtype: Any = ..., copy: bool | None = ...) -> np.ndarray: ...",
        "    def __dlpack__(self, *, stream: Any = ..., max_version: Any = ..., dl_device: Any = ..., copy: Any = ...) -> Any: ...",
        "    def __dlpack_device__(self) -> tuple[int, int]: ...",
        "    def __buffer__(self, flags: int, /) -> memoryview: ...",
        "",
        "class Item(NamedTuple):",
        "    index: int  # type: ignore[assignment]\n    path: str\n    image: Image | None\n    error: Error | None",
        "",
        "class Failure(NamedTuple):",
        "    path: str | None\n    kind: str\n    message: str",
        "",
        "class Result(NamedTuple):",
        "    exit_code: int\n    done: int\n    failed: int\n    skipped: int\n    failures: list[Failure]",
        "",
        f"def read(file: str | bytes | bytearray | memoryview | os.PathLike, *, device: str = ..., {reading}) -> Image: ...",
        f"def decode(data: bytes | bytearray | memoryview, *, device: str = ..., {reading}) -> Image: ...",
        "def from_array(array: Any, *, device: str | None = ...) -> Image: ...",
        "def chain(words: str | Sequence[str]) -> Callable[[Image], Image]: ...",
        "def read_many(paths: Iterable[str | os.PathLike], *, device: str = ..., workers: int = ..., max_memory: int = ...,",
        "              then: Callable[[Image], Image] | str | Sequence[str] | None = ..., auto_orient: bool = ...,",
        "              lenient: bool = ..., max_pixels: int = ...) -> Iterator[Item]: ...",
        "def run(words: str | Sequence[str]) -> Result: ...",
        "",
    ])


def write_stubs(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(stubs())
