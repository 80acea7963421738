// The images of the Python module, and everything that needs no Python: places, engines, reading, chains of steps,
// numerical results and files. docs/python.md.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "codecs/codec.hpp"
#include "engine/image_step.hpp"
#include "engine/worker.hpp"
#include "gpuimg/backend.hpp"
#include "gpuimg/cuda.hpp"

namespace gpuimg::python {

using Words = std::vector<std::string>;

inline constexpr const char* kInMemory = "image";  ///< name, in messages, of an image that has no file

/// The processor, or a CUDA device.
struct Place {
  BackendKind kind = BackendKind::cpu;
  int device = 0;

  bool operator==(const Place&) const = default;
  [[nodiscard]] std::string name() const;
};

/// Parses "cpu", "cuda" or "cuda:N". Throws Error{usage}.
Place place_named(const std::string& name);

/// How files are read.
struct Reading {
  bool auto_orient = true;
  bool lenient = false;
  std::uint64_t max_pixels = GlobalOptions().max_pixels;

  bool operator==(const Reading&) const = default;
};

/// A backend, and the worker that reads and writes files with it. Only one thread at a time may use it: see Lease.
struct Engine {
  /// `threads` = 0 means all processors.
  Engine(const Place& on, const Reading& reading, int threads);

  Place place;
  Reading how;
  std::mutex mutex;
  Worker worker;
};

/// Holds an engine, locked, for one call. Takes an existing engine if possible. The destructor restores the thread's
/// current CUDA device.
class Lease {
 public:
  explicit Lease(const Place& place, const Reading& reading = {});
  explicit Lease(std::shared_ptr<Engine> engine);
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();

  [[nodiscard]] const std::shared_ptr<Engine>& engine() const { return engine_; }
  [[nodiscard]] Worker& worker() const { return engine_->worker; }
  [[nodiscard]] Backend& backend() const { return engine_->worker.backends.get(); }

 private:
  KeptCudaDevice kept_device_;
  std::shared_ptr<Engine> engine_;
  std::unique_lock<std::mutex> lock_;
};

/// Pixels on a device, and the engine that can read them.
struct DevicePicture {
  std::shared_ptr<Engine> engine;
  Picture picture;
  /// Set if the address of the pixels was given to other code, which may still use them on its own streams. Released
  /// before the pixels; this waits for the streams.
  mutable std::shared_ptr<const void> users = nullptr;
};

/// Values that steps have found in an image, such as "angle" and "-2.45". If a name occurs more than once, the last
/// value counts.
using Found = std::vector<std::pair<std::string, std::string>>;

/// The Image of Python: pixels on the host or on a device, and the other content of its file. Immutable; copies share
/// the content.
class PyImage {
 public:
  using Pixels = std::variant<std::shared_ptr<const Image>, std::shared_ptr<const DevicePicture>>;

  /// For pixels without a file. file().pages is then 0.
  explicit PyImage(Image pixels);
  /// `file` must come from file_of() in images.cpp.
  PyImage(Pixels pixels, codecs::DecodedImage file, std::string name)
      : pixels_(std::move(pixels)),
        file_(std::make_shared<const codecs::DecodedImage>(std::move(file))),
        name_(std::move(name)) {}
  PyImage(PyImage&& image, Found found) : PyImage(std::move(image)) { found_ = std::move(found); }

  [[nodiscard]] ImageShape shape() const { return {file_->width(), file_->height(), file_->format()}; }
  [[nodiscard]] const codecs::DecodedImage& file() const { return *file_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The values found by the steps that made the image.
  [[nodiscard]] const Found& found() const { return found_; }

  /// Null for pixels on a device.
  [[nodiscard]] std::shared_ptr<const Image> host() const {
    const auto* pixels = std::get_if<std::shared_ptr<const Image>>(&pixels_);
    return pixels != nullptr ? *pixels : nullptr;
  }
  /// Null for pixels on the host.
  [[nodiscard]] std::shared_ptr<const DevicePicture> device() const {
    const auto* pixels = std::get_if<std::shared_ptr<const DevicePicture>>(&pixels_);
    return pixels != nullptr ? *pixels : nullptr;
  }
  [[nodiscard]] Place place() const { return device() ? device()->engine->place : Place(); }

  /// An engine that can read the pixels.
  [[nodiscard]] Lease lease() const { return device() ? Lease(device()->engine) : Lease(Place()); }

  /// The pixels on the host, copied from a device that the caller has leased.
  [[nodiscard]] std::shared_ptr<const Image> downloaded(const Lease& lease) const {
    return device() ? std::make_shared<const Image>(lease.backend().download(device()->picture)) : host();
  }

 private:
  Pixels pixels_;
  std::shared_ptr<const codecs::DecodedImage> file_;
  std::string name_;
  Found found_;
};

/// Reads a file with a leased engine. `page` counts from 1; 0 also means the first page.
PyImage read_with(const std::shared_ptr<Engine>& engine, const std::string& path, std::uint32_t page = 0);

/// read_file() reads a file; decode() reads the content of a file. Both throw Error{usage} for a device that does not
/// exist, and the errors of decode_image.
PyImage read_file(const std::string& path, const std::string& device, std::uint32_t page, const Reading& reading);
PyImage decode(std::string_view content, const std::string& device, std::uint32_t page, const Reading& reading);

/// Copies pixels in the memory of a CUDA device to an image on `device`; nullopt means the device that holds the
/// pixels.
PyImage copied_from_device(ConstView pixels, const std::optional<std::string>& device);

/// A copy of the image on `device`. Returns the image itself if it is already there.
PyImage moved_to(const PyImage& image, const std::string& device);

/// Steps with checked options, ready for any number of images, on any threads.
class Chain {
 public:
  /// `words` are the words that would follow `gpuimg` on the command line. Throws Error{usage}.
  explicit Chain(const Words& words);

  /// The words, with the defaults in brackets.
  [[nodiscard]] const std::string& text() const { return text_; }

  /// The largest number of bytes that are held while an image is decoded and processed by the steps.
  [[nodiscard]] std::uint64_t most_bytes(const codecs::DeclaredImage& declared) const;

  [[nodiscard]] PyImage on(const PyImage& image) const;

  /// Uses an engine that the caller has leased, which must be able to read the pixels.
  [[nodiscard]] PyImage on(const PyImage& image, const std::shared_ptr<Engine>& engine) const;

 private:
  ImageSteps steps_;
  std::string text_;
};

/// The content of the file that a command would write for an image, in a format such as npy or json.
std::string numbers_of(const PyImage& image, const std::string& command, const Words& options, const std::string& form);

/// Writes a file as `gpuimg convert` does with these options.
void write_file(const PyImage& image, const std::string& path, bool force, const Words& options);

/// The content of the file that write_file() would write.
std::string encode(const PyImage& image, const std::string& format, const Words& options);

}  // namespace gpuimg::python
