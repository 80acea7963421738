// The compiled part of the Python module: gpuimg._core. Images, chains of steps, reading files in advance, and running
// the command line in this process. gpuimg/__init__.py and _methods.py build the public interface on top of it.
// docs/python.md.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "batch/manifest.hpp"
#include "batch/stop_signal.hpp"
#include "cli/command_line.hpp"
#include "cli/help.hpp"
#include "cli/version.hpp"
#include "codecs/file_header.hpp"
#include "commands/commands.hpp"
#include "gpuimg/cuda.hpp"
#include "gpuimg/loader.hpp"
#include "images.hpp"

namespace nb = nanobind;

namespace gpuimg::python {
namespace {

using GilFree = nb::call_guard<nb::gil_scoped_release>;

template <class Bytes>
nb::bytes bytes_of(const Bytes& bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

// --- Arrays ---------------------------------------------------------------------------------------------------------

/// Pixels that another library owns, with any distance between samples.
struct ArrayPixels {
  const std::byte* data;
  ImageShape shape;
  std::int64_t row, pixel, channel;  ///< distances in bytes

  /// True if a row is one block of memory.
  [[nodiscard]] bool has_packed_rows() const {
    const auto size = static_cast<std::int64_t>(sample_bytes(shape.format.sample));
    return (shape.format.channels == 1 || channel == size) &&
           (shape.width == 1 || pixel == size * shape.format.channels);
  }
};

/// `sides` and `strides` give the length and the stride of each axis, in samples. Throws Error{unsupported} if the
/// array is not an image.
ArrayPixels pixels_of_array(const void* data, std::optional<Sample> sample, const std::vector<std::int64_t>& sides,
                            const std::vector<std::int64_t>& strides) {
  constexpr std::int64_t kMostSide = std::int64_t{1} << 30;
  const auto is_side = [](std::int64_t side) { return side > 0 && side <= kMostSide; };
  if ((sides.size() != 2 && sides.size() != 3) || !sample || !std::all_of(sides.begin(), sides.end(), is_side) ||
      (sides.size() == 3 && sides[2] > 4)) {
    throw Error(ErrorKind::unsupported,
                "from_array: images are (H, W) or (H, W, 1 to 4) of uint8 or uint16; convert the array");
  }
  const int channels = sides.size() == 3 ? static_cast<int>(sides[2]) : 1;
  const auto size = static_cast<std::int64_t>(sample_bytes(*sample));
  return {static_cast<const std::byte*>(data),
          {static_cast<int>(sides[1]), static_cast<int>(sides[0]), {*sample, channels}},
          strides[0] * size,
          strides[1] * size,
          sides.size() == 3 ? strides[2] * size : size};
}

PyImage copied_from_host(const ArrayPixels& from) {
  Image image(from.shape.width, from.shape.height, from.shape.format);
  const std::size_t size = sample_bytes(from.shape.format.sample);
  for (int y = 0; y < image.height(); ++y) {
    const std::byte* row = from.data + y * from.row;
    std::byte* to = image.view().row_bytes(y);
    if (from.has_packed_rows()) {
      std::memcpy(to, row, image.pitch_bytes());
      continue;
    }
    for (int x = 0; x < image.width(); ++x) {
      for (int c = 0; c < from.shape.format.channels; ++c, to += size) {
        std::memcpy(to, row + x * from.pixel + c * from.channel, size);
      }
    }
  }
  return PyImage(std::move(image));
}

/// Throws Error{unsupported} unless a device can copy each row as one block.
PyImage copied_from_array_of_device(const ArrayPixels& from, const std::optional<std::string>& device) {
  const std::size_t row = static_cast<std::size_t>(from.shape.width) * from.shape.format.bytes_per_pixel();
  if (!from.has_packed_rows() || (from.shape.height > 1 && from.row < static_cast<std::int64_t>(row))) {
    throw Error(ErrorKind::unsupported,
                "from_array: the rows of a device array must be contiguous; copy it, as with "
                "tensor.contiguous()");
  }
  const std::size_t pitch = from.shape.height > 1 ? static_cast<std::size_t>(from.row) : row;
  return copied_from_device(ConstView{from.data, from.shape.width, from.shape.height, pitch, from.shape.format},
                            device);
}

/// Copies an array of NumPy, or of any object with DLPack, to `device`; nullopt means the array's own device.
PyImage from_array(const nb::ndarray<nb::ro>& array, const std::optional<std::string>& device) {
  const auto type = array.dtype();
  const std::optional<Sample> sample = type == nb::dtype<std::uint8_t>()    ? std::optional(Sample::u8)
                                       : type == nb::dtype<std::uint16_t>() ? std::optional(Sample::u16)
                                                                            : std::nullopt;
  const std::vector<std::int64_t> sides(array.shape_ptr(), array.shape_ptr() + array.ndim());
  const std::vector<std::int64_t> strides(array.stride_ptr(), array.stride_ptr() + array.ndim());
  const ArrayPixels from = pixels_of_array(array.data(), sample, sides, strides);
  const nb::gil_scoped_release released;
  if (array.device_type() == nb::device::cuda::value || array.device_type() == nb::device::cuda_managed::value) {
    return copied_from_array_of_device(from, device);
  }
  if (array.device_type() != nb::device::cpu::value && array.device_type() != nb::device::cuda_host::value) {
    throw Error(ErrorKind::unsupported, "from_array: the array is on a device that is not CUDA's; copy it to the host");
  }
  const PyImage image = copied_from_host(from);
  return device ? moved_to(image, *device) : image;
}

/// Copies the array that __cuda_array_interface__ describes. If strides are missing or None, the array is contiguous.
PyImage from_cuda_interface(const nb::dict& interface, const std::optional<std::string>& device) {
  const auto type = nb::cast<std::string>(interface["typestr"]);
  const std::optional<Sample> sample = type == "|u1"   ? std::optional(Sample::u8)
                                       : type == "<u2" ? std::optional(Sample::u16)
                                                       : std::nullopt;
  const auto sides = nb::cast<std::vector<std::int64_t>>(interface["shape"]);
  std::vector<std::int64_t> strides(sides.size(), 1);
  for (std::size_t axis = sides.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * sides[axis];
  }
  if (interface.contains("strides") && !interface["strides"].is_none() && sample) {
    strides = nb::cast<std::vector<std::int64_t>>(interface["strides"]);
    const auto size = static_cast<std::int64_t>(sample_bytes(*sample));
    const bool is_whole =
        std::all_of(strides.begin(), strides.end(), [size](std::int64_t stride) { return stride % size == 0; });
    if (!is_whole || strides.size() != sides.size()) {
      throw Error(ErrorKind::unsupported, "from_array: the strides do not fit the sample type; copy the array");
    }
    for (std::int64_t& stride : strides) {
      stride /= size;
    }
  }
  if (interface.contains("mask") && !interface["mask"].is_none()) {
    throw Error(ErrorKind::unsupported, "from_array: the array has a mask; fill its masked elements first");
  }
  const auto address = nb::cast<std::uintptr_t>(interface["data"][0]);
  const ArrayPixels from = pixels_of_array(reinterpret_cast<const void*>(address), sample, sides, strides);
  const nb::gil_scoped_release released;
  return copied_from_array_of_device(from, device);
}

/// Records that other code receives the address of an image's pixels on a device. That code may use the pixels on its
/// own streams, so the memory is freed only once the device is idle.
void share_address(const PyImage& image) {
  const DevicePicture& pixels = *image.device();
  if (pixels.users == nullptr) {
    pixels.users = std::shared_ptr<const void>(&pixels, [device = image.place().device](const void* /*unused*/) {
      std::optional<nb::gil_scoped_release> released;
      if (PyGILState_Check() == 1) {
        released.emplace();
      }
      wait_for_cuda_device(device);
    });
  }
}

/// The pixels without a copy, read-only, as an array of type `Framework`. The array keeps the image alive.
template <class... Framework>
nb::ndarray<Framework..., nb::ro> array_of(const PyImage& image, nb::handle owner) {
  const ImageShape shape = image.shape();
  const auto channels = static_cast<std::size_t>(shape.format.channels);
  const std::size_t sides[] = {static_cast<std::size_t>(shape.height), static_cast<std::size_t>(shape.width), channels};
  const auto type = shape.format.sample == Sample::u8 ? nb::dtype<std::uint8_t>() : nb::dtype<std::uint16_t>();
  const bool is_on_device = image.device() != nullptr;
  if (is_on_device) {
    share_address(image);
  }
  const void* data = is_on_device ? cuda_pixels(image.device()->picture) : image.host()->view().data;
  return {data,
          channels == 1 ? std::size_t{2} : std::size_t{3},
          sides,
          owner,
          nullptr,
          type,
          is_on_device ? nb::device::cuda::value : nb::device::cpu::value,
          image.place().device};
}

nb::object numpy_of(nb::handle self) {
  const auto& image = nb::cast<const PyImage&>(self);
  if (!image.device()) {
    return nb::cast(array_of<nb::numpy>(image, self), nb::rv_policy::reference);
  }
  return numpy_of(nb::cast([&] {
    const nb::gil_scoped_release released;
    return moved_to(image, "cpu");
  }()));
}

/// An object with __dlpack__ and the buffer protocol.
nb::object dlpack_of(nb::handle self) {
  return nb::cast(array_of<nb::array_api>(nb::cast<const PyImage&>(self), self), nb::rv_policy::reference);
}

/// Version 3 of __cuda_array_interface__. `stream` is None, because consumers need not wait: image_on() has waited
/// until the pixels are complete. The array is declared writable, because PyTorch rejects read-only arrays.
nb::dict cuda_interface(const PyImage& image) {
  if (!image.device()) {
    throw nb::attribute_error("the image is not on a CUDA device");
  }
  share_address(image);
  const ImageShape shape = image.shape();
  nb::dict interface;
  interface["shape"] = shape.format.channels == 1 ? nb::make_tuple(shape.height, shape.width)
                                                  : nb::make_tuple(shape.height, shape.width, shape.format.channels);
  interface["typestr"] = shape.format.sample == Sample::u8 ? "|u1" : "<u2";
  interface["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(cuda_pixels(image.device()->picture)), false);
  interface["version"] = 3;
  interface["strides"] = nb::none();
  interface["stream"] = nb::none();
  return interface;
}

// --- Many files -----------------------------------------------------------------------------------------------------

/// An iterator over images that are read in advance.
class Reader {
 public:
  Reader(Words paths, const std::string& device, int workers, std::uint64_t max_bytes, const Reading& reading,
         std::shared_ptr<const Chain> then)
      : paths_(std::make_shared<const Words>(std::move(paths))) {
    const int processors = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
    ReadAhead<PyImage>::Plan plan;
    plan.count = paths_->size();
    plan.workers = workers > 0 ? workers : processors;
    plan.ahead = 2 * static_cast<std::size_t>(plan.workers);
    plan.max_bytes = max_bytes;
    plan.bytes_of = [paths = paths_, then](std::size_t index) {
      const codecs::DeclaredImage declared = codecs::declared_image_in((*paths)[index]);
      return then && declared.pixels() > 0 ? then->most_bytes(declared) : declared.decoding_bytes();
    };
    plan.make_worker = [paths = paths_, place = place_named(device), reading, then] {
      const auto engine = std::make_shared<Engine>(place, reading, place.kind == BackendKind::cpu ? 1 : 0);
      return [paths, engine, then](std::size_t index) {
        const std::lock_guard lock(engine->mutex);
        PyImage image = read_with(engine, (*paths)[index]);
        return then ? then->on(image, engine) : std::move(image);
      };
    };
    ahead_ = std::make_unique<ReadAhead<PyImage>>(std::move(plan));
  }

  /// Returns (index, image, error), where either image or error is None. Does not throw the error.
  nb::tuple next() {
    std::optional<ReadAhead<PyImage>::Item> item;
    {
      const nb::gil_scoped_release released;
      const std::lock_guard one_at_a_time(mutex_);
      item = ahead_->next();
    }
    if (!item) {
      throw nb::stop_iteration();
    }
    nb::object image = nb::none(), error = nb::none();
    if (item->result) {
      image = nb::cast(std::move(*item->result));
    } else {
      error = nb::cast(message_of(item->error));
    }
    return nb::make_tuple(item->index, image, error);
  }

  void stop() { ahead_->stop(); }

 private:
  /// The kind and the text of an error.
  static std::pair<std::string, std::string> message_of(const std::exception_ptr& error);

  std::shared_ptr<const Words> paths_;
  std::mutex mutex_;
  std::unique_ptr<ReadAhead<PyImage>> ahead_;
};

// --- Errors, and the command line with its subcommands and options -------------------------------------------------

std::pair<std::string, std::string> Reader::message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    return {std::string(name_of(known.kind())), known.what()};
  } catch (const std::bad_alloc&) {
    return {std::string(name_of(ErrorKind::out_of_memory)),
            "out of memory; use a smaller image or a machine with more memory"};
  } catch (const std::exception& other) {
    return {"internal", other.what()};
  }
}

PyObject* error_type = nullptr;  ///< gpuimg.Error, which __init__.py sets

void raise(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const std::string kind(name_of(error.kind()));
    PyObject* const made = PyObject_CallFunction(error_type, "ss", kind.c_str(), error.what());
    if (made != nullptr) {
      PyErr_SetObject(error_type, made);
      Py_DECREF(made);
    }
  }
}

/// The outcome of a run of the command line.
struct Ran {
  struct Failure {
    std::string path;  ///< empty if the run failed as a whole
    std::string kind;
    std::string message;
  };

  void count(const ItemEnd& end) {
    using Status = ItemEnd::Status;
    constexpr std::size_t kMost = 10000;
    if (end.status == Status::failed && failures.size() < kMost) {
      failures.push_back({std::string(end.name), std::string(end.kind), std::string(end.message)});
    }
    (end.status == Status::done ? done : end.status == Status::skipped ? skipped : failed) += 1;
  }

  int exit_code = 0;
  std::uint64_t done = 0, failed = 0, skipped = 0;
  std::vector<Failure> failures;
};

Ran run(const Words& words) {
  Ran ran;
  const KeptCudaDevice kept;
  const SharedSignals signals;  // its destructor raises signals that arrived meanwhile, for Python's handlers
  std::vector<const char*> argv = {"gpuimg"};
  std::transform(words.begin(), words.end(), std::back_inserter(argv),
                 [](const std::string& word) { return word.c_str(); });
  CommandLine line(all_commands(), version_text);
  line.tell([&ran](const ItemEnd& end) { ran.count(end); },
            [&ran](const Error& error) {
              ran.count({ItemEnd::Status::failed, "", name_of(error.kind()), error.what()});
            });
  const auto ended = line.parse(static_cast<int>(argv.size()), argv.data());
  const ExitCode code = ended ? *ended : line.run();
  std::fflush(nullptr);
  ran.exit_code = static_cast<int>(code);
  return ran;
}

/// (exit code, done, failed, skipped, [(path or None, kind, message)])
nb::tuple tuple_of(const Ran& ran) {
  nb::list failures;
  for (const Ran::Failure& failure : ran.failures) {
    const nb::object path = failure.path.empty() ? nb::none() : nb::object(bytes_of(failure.path));
    failures.append(nb::make_tuple(path, failure.kind, bytes_of(failure.message)));
  }
  return nb::make_tuple(ran.exit_code, ran.done, ran.failed, ran.skipped, failures);
}

nb::list choices_of(const std::vector<Choice>& choices) {
  nb::list names;
  for (const Choice& choice : choices) {
    names.append(choice.name);
  }
  return names;
}

/// The properties of each option, as a dict. "is_of_run" tells options of the whole run from options of the operation.
nb::list options_of(const CommandModel& command) {
  nb::list all;
  for (const OptionModel& option : command.options) {
    nb::dict one;
    one["name"] = option.names.back().substr(2);
    one["text"] = short_description(option.text);
    one["placeholder"] = option.placeholder;
    one["choices"] = choices_of(option.text.choices);
    one["default"] = default_of(option.text);
    one["group"] = option.group;
    one["repeats"] = option.repeats;
    one["is_of_run"] = option.is_of_run;
    all.append(one);
  }
  return all;
}

/// The subcommands as --help describes them.
nb::list commands() {
  const CommandLine line(all_commands(), [] { return std::string(); });
  nb::list all;
  for (const CommandModel& command : line.model().subcommands) {
    nb::dict one;
    one["name"] = command.name;
    one["description"] = command.description;
    one["is_step"] = command.is_step;
    nb::list words;
    for (const PositionalModel& positional : command.positionals) {
      if (!positional.choices.empty()) {
        nb::dict word;
        word["name"] = positional.name;
        word["choices"] = choices_of(positional.choices);
        words.append(word);
      }
    }
    one["words"] = words;
    one["options"] = options_of(command);
    all.append(one);
  }
  return all;
}

/// The content of the file other than its pixels.
nb::dict metadata_of(const PyImage& image) {
  const codecs::DecodedImage& file = image.file();
  nb::dict all;
  all["format"] = file.pages == 0 ? "" : std::string(codecs::codec_of(file.file_format).name);
  all["pages"] = file.pages;
  all["icc"] = bytes_of(file.metadata.icc);
  all["exif"] = bytes_of(file.metadata.exif);
  all["xmp"] = bytes_of(file.metadata.xmp);
  all["iptc"] = bytes_of(file.metadata.iptc);
  all["density"] = nb::none();
  if (const auto& density = file.metadata.density) {
    constexpr const char* kUnits[] = {"", "inch", "centimeter", "meter"};
    all["density"] = nb::make_tuple(density->x.value(), density->y.value(), kUnits[static_cast<int>(density->unit)]);
  }
  nb::dict text;
  for (const codecs::TextEntry& entry : file.text) {
    text[nb::str(entry.keyword.c_str())] = nb::bytes(entry.text.data(), entry.text.size()).attr("decode")("latin-1");
  }
  all["text"] = text;
  return all;
}

int fill_buffer(PyObject* self, Py_buffer* view, int flags) {
  try {
    const nb::object pixels = dlpack_of(self);
    return PyObject_GetBuffer(pixels.ptr(), view, flags);
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_BufferError, error.what());
    return -1;
  }
}

PyType_Slot kImageSlots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(fill_buffer)}, {0, nullptr}};

/// Paths and words are passed as bytes, because a file name need not be valid UTF-8.
std::string string_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

Words words_of(const nb::list& words) {
  Words all;
  for (const nb::handle word : words) {
    all.push_back(string_of(nb::cast<nb::bytes>(word)));
  }
  return all;
}

/// Calls work() without Python's lock.
template <class Work>
auto unlocked(const Work& work) {
  const nb::gil_scoped_release released;
  return work();
}

}  // namespace
}  // namespace gpuimg::python

NB_MODULE(_core, module) {
  using namespace gpuimg;
  using namespace gpuimg::python;
  using namespace nb::literals;

  nb::register_exception_translator(raise);
  module.def("set_error", [](nb::object type) { error_type = type.release().ptr(); });

  nb::class_<Reading>(module, "Reading").def(nb::init<bool, bool, std::uint64_t>());

  nb::class_<PyImage>(module, "Image", nb::type_slots(kImageSlots))
      .def_prop_ro("width", [](const PyImage& image) { return image.shape().width; })
      .def_prop_ro("height", [](const PyImage& image) { return image.shape().height; })
      .def_prop_ro("channels", [](const PyImage& image) { return image.shape().format.channels; })
      .def_prop_ro("bits", [](const PyImage& image) { return 8 * sample_bytes(image.shape().format.sample); })
      .def_prop_ro("device", [](const PyImage& image) { return image.place().name(); })
      .def_prop_ro("notes", [](const PyImage& image) { return image.file().notes; })
      .def_prop_ro("metadata", metadata_of)
      .def_prop_ro("__cuda_array_interface__", cuda_interface)
      .def_prop_ro("_found", [](const PyImage& image) { return image.found(); })
      .def("_numpy", [](nb::handle self) { return numpy_of(self); })
      .def("_dlpack", [](nb::handle self) { return dlpack_of(self); })
      .def("_to", moved_to, GilFree())
      .def("_numbers",
           [](const PyImage& image, const std::string& command, const nb::list& options, const std::string& form) {
             return bytes_of(
                 unlocked([&, words = words_of(options)] { return numbers_of(image, command, words, form); }));
           })
      .def("_write",
           [](const PyImage& image, const nb::bytes& path, bool force, const nb::list& options) {
             unlocked([&, to = string_of(path), words = words_of(options)] { write_file(image, to, force, words); });
           })
      .def("_encode", [](const PyImage& image, const std::string& format, const nb::list& options) {
        return bytes_of(unlocked([&, words = words_of(options)] { return encode(image, format, words); }));
      });

  nb::class_<Chain>(module, "Chain")
      .def("__init__",
           [](Chain* self, const nb::list& words) {
             unlocked([self, all = words_of(words)] { new (self) Chain(all); });
           })
      .def_prop_ro("text", &Chain::text)
      .def(
          "__call__", [](const Chain& chain, const PyImage& image) { return chain.on(image); }, GilFree());

  nb::class_<Reader>(module, "Reader")
      .def(
          "__init__",
          [](Reader* self, const nb::list& paths, const std::string& device, int workers, std::uint64_t max_bytes,
             const Reading& reading, const std::shared_ptr<Chain>& then) {
            new (self) Reader(words_of(paths), device, workers, max_bytes, reading, then);
          },
          "paths"_a, "device"_a, "workers"_a, "max_bytes"_a, "reading"_a, "then"_a.none())
      .def("next", &Reader::next)
      .def("stop", &Reader::stop, GilFree());

  module.def("read_file", [](const nb::bytes& path, const std::string& device, std::uint32_t page, const Reading& how) {
    return unlocked([&, name = string_of(path)] { return read_file(name, device, page, how); });
  });
  module.def("decode", [](const nb::bytes& content, const std::string& device, std::uint32_t page, const Reading& how) {
    return unlocked(
        [&, bytes = std::string_view(content.c_str(), content.size())] { return decode(bytes, device, page, how); });
  });
  module.def("from_array", from_array, "array"_a, "device"_a.none());
  module.def("from_cuda_interface", from_cuda_interface, "interface"_a, "device"_a.none());
  module.def("run",
             [](const nb::list& words) { return tuple_of(unlocked([all = words_of(words)] { return run(all); })); });
  module.def("commands", commands);
  module.def("version", version_number);
  module.def("version_text", version_text);
}
