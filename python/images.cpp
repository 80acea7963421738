// Implements images.hpp. Engines are kept for later calls. The steps of a chain run one after another on one backend.
#include "images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>

#include "cli/command_line.hpp"
#include "cli/output_options.hpp"
#include "codecs/image_writer.hpp"
#include "commands/commands.hpp"
#include "commands/photo_job.hpp"
#include "engine/image_conversion.hpp"
#include "engine/image_job.hpp"

namespace gpuimg::python {

using codecs::DecodedImage;

std::string Place::name() const { return kind == BackendKind::cpu ? "cpu" : fmt::format("cuda:{}", device); }

Place place_named(const std::string& name) {
  constexpr std::string_view kCuda = "cuda:";
  if (name == "cpu") {
    return {};
  }
  Place place{BackendKind::cuda, 0};
  if (name == "cuda") {
    return place;
  }
  const char* const end = name.data() + name.size();
  const bool has_number = name.size() > kCuda.size() && name.starts_with(kCuda) &&
                          std::from_chars(name.data() + kCuda.size(), end, place.device).ptr == end;
  if (!has_number || place.device < 0) {
    throw Error(ErrorKind::usage, fmt::format("device: '{}' is not a device; give cpu, cuda or cuda:N", name));
  }
  return place;
}

namespace {

GlobalOptions options_of(const Place& place, const Reading& reading, int threads) {
  GlobalOptions options;
  options.backend = place.kind;
  options.device = place.device;
  options.threads = threads;
  options.verbosity = Verbosity::quiet;
  options.auto_orient = reading.auto_orient;
  options.lenient = reading.lenient;
  options.max_pixels = reading.max_pixels;
  options.trusts_sizes = reading.max_pixels != GlobalOptions().max_pixels;
  return options;
}

/// Shared by all engines, so that a device's codecs are tested only once per process.
std::shared_ptr<SharedByWorkers> shared_by_engines() {
  static const auto one = std::make_shared<SharedByWorkers>();
  return one;
}

/// Engines for later calls. CPU engines are removed while in use. A CUDA device has one engine for each Reading, which
/// calls share, because starting an engine takes long.
class Engines {
 public:
  static Engines& all() {
    static Engines* const engines = new Engines;  // never destroyed: images may outlive static objects
    return *engines;
  }

  std::shared_ptr<Engine> take(const Place& place, const Reading& reading = {}) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(idle_.begin(), idle_.end(), [&](const auto& engine) {
      return engine->place == place && engine->how == reading;
    });
    if (found == idle_.end()) {
      return std::make_shared<Engine>(place, reading, 0);
    }
    std::shared_ptr<Engine> engine = *found;
    if (place.kind == BackendKind::cpu) {
      idle_.erase(found);
    }
    return engine;
  }

  void give_back(std::shared_ptr<Engine> engine) {
    constexpr std::size_t kMost = 8;  // limited because each engine keeps memory for its next image
    const std::lock_guard lock(mutex_);
    if (std::find(idle_.begin(), idle_.end(), engine) != idle_.end()) {
      return;
    }
    idle_.push_back(std::move(engine));
    if (idle_.size() > kMost) {
      idle_.erase(idle_.begin());
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Engine>> idle_;
};

}  // namespace

Engine::Engine(const Place& on, const Reading& reading, int threads)
    : place(on), how(reading), worker(options_of(on, reading, threads), Worker::Role::batch, shared_by_engines()) {}

Lease::Lease(const Place& place, const Reading& reading) : Lease(Engines::all().take(place, reading)) {}

Lease::Lease(std::shared_ptr<Engine> engine) : engine_(std::move(engine)), lock_(engine_->mutex) {}

Lease::~Lease() {
  lock_.unlock();
  Engines::all().give_back(engine_);
}

namespace {

/// Copies everything except the pixels. A Picture without memory holds their shape.
DecodedImage file_of(const DecodedImage& from, const ImageShape& shape) {
  DecodedImage file;
  file.picture.emplace(shape.width, shape.height, shape.format, nullptr);
  file.file_format = from.file_format;
  file.pages = from.pages;
  file.has_lost_pages = from.has_lost_pages;
  file.text = from.text;
  file.is_upright = from.is_upright;
  file.metadata = from.metadata;
  file.source_encoding = from.source_encoding;
  file.notes = from.notes;
  return file;
}

/// The image for a backend's result, or for pixels that the host has decoded.
PyImage image_on(const std::shared_ptr<Engine>& engine, Picture picture, DecodedImage file, const std::string& name) {
  Backend& backend = engine->worker.backends.get();
  if (backend.memory_is_host()) {
    return {std::make_shared<const Image>(backend.download(std::move(picture))), std::move(file), name};
  }
  backend.wait();
  const std::shared_ptr<const DevicePicture> pixels(new DevicePicture{engine, std::move(picture)},
                                                    [](const DevicePicture* released) {
                                                      const KeptCudaDevice kept;  // deleting may destroy the engine
                                                      delete released;
                                                    });
  return {pixels, std::move(file), name};
}

PyImage image_on(const std::shared_ptr<Engine>& engine, DecodedImage decoded, const std::string& name) {
  DecodedImage file = file_of(decoded, {decoded.width(), decoded.height(), decoded.format()});
  if (decoded.picture) {
    return image_on(engine, std::move(*decoded.picture), std::move(file), name);
  }
  if (engine->place.kind == BackendKind::cpu) {
    return {std::make_shared<const Image>(std::move(decoded.image)), std::move(file), name};
  }
  return image_on(engine, engine->worker.backends.get().upload(std::move(decoded.image)), std::move(file), name);
}

}  // namespace

PyImage::PyImage(Image pixels) : PyImage(std::make_shared<const Image>(std::move(pixels)), DecodedImage(), kInMemory) {
  const Image& image = *host();
  DecodedImage file = file_of({}, {image.width(), image.height(), image.format()});
  file.pages = 0;
  file_ = std::make_shared<const DecodedImage>(std::move(file));
}

PyImage read_with(const std::shared_ptr<Engine>& engine, const std::string& path, std::uint32_t page) {
  engine->worker.begin_item(false, {page});
  return image_on(engine, engine->worker.loader.load(path), path);
}

PyImage read_file(const std::string& path, const std::string& device, std::uint32_t page, const Reading& reading) {
  const Lease lease(place_named(device), reading);
  return read_with(lease.engine(), path, page);
}

PyImage decode(std::string_view content, const std::string& device, std::uint32_t page, const Reading& reading) {
  const Lease lease(place_named(device), reading);
  Bytes bytes{ByteMemory(new std::byte[content.size()]), content.size()};
  std::memcpy(bytes.data.get(), content.data(), content.size());
  lease.worker().begin_member(kInMemory, std::move(bytes));
  lease.worker().loader.turn_to({page});
  return image_on(lease.engine(), lease.worker().loader.load(kInMemory), kInMemory);
}

PyImage copied_from_device(ConstView pixels, const std::optional<std::string>& device) {
  const Place place = device ? place_named(*device) : Place{BackendKind::cuda, cuda_device_of(pixels.data)};
  if (place.kind == BackendKind::cpu) {
    return moved_to(copied_from_device(pixels, std::nullopt), *device);
  }
  const Lease lease(place);
  DecodedImage file = file_of({}, {pixels.width, pixels.height, pixels.format});
  file.pages = 0;
  return image_on(lease.engine(), copy_cuda_pixels(lease.backend(), pixels), std::move(file), kInMemory);
}

PyImage moved_to(const PyImage& image, const std::string& device) {
  const Place place = place_named(device);
  if (place == image.place()) {
    return image;
  }
  std::shared_ptr<const Image> pixels = image.host() ? image.host() : image.downloaded(image.lease());
  DecodedImage file = file_of(image.file(), image.shape());
  if (place.kind == BackendKind::cpu) {
    return {{std::move(pixels), std::move(file), image.name()}, image.found()};
  }
  const Lease to(place);
  return {image_on(to.engine(), to.backend().upload(pixels->view()), std::move(file), image.name()), image.found()};
}

Chain::Chain(const Words& words) {
  for (EarlierStep& made : CommandLine::steps_of(all_commands(), words)) {
    text_ += (text_.empty() ? "" : " --then ") + made.text;
    if (made.step != nullptr) {
      steps_.add(std::move(made.step));
    }
  }
  if (steps_.reads_files() || !steps_.side_files().empty()) {
    throw Error(ErrorKind::usage, text_ + ": reads or writes files of its own; use gpuimg.run");
  }
  const Lease lease{Place()};
  lease.worker().begin_item();
  steps_.prepare(lease.worker());
}

std::uint64_t Chain::most_bytes(const codecs::DeclaredImage& declared) const {
  const auto bytes = [](const ImageShape& shape) {
    return std::uint64_t{1} * static_cast<std::uint64_t>(shape.width) * static_cast<std::uint64_t>(shape.height) *
           shape.format.bytes_per_pixel();
  };
  std::uint64_t most = declared.decoding_bytes();
  ImageShape input = largest_shape(declared);
  for (const OperationTraits& step : steps_.traits(input)) {
    const std::uint64_t pixels = std::max(bytes(input) / input.format.bytes_per_pixel(),
                                          bytes(step.result) / step.result.format.bytes_per_pixel());
    most = std::max(most, bytes(input) + bytes(step.result) + pixels * step.other_bytes);
    input = step.result;
  }
  return most;
}

PyImage Chain::on(const PyImage& image) const {
  const Lease lease = image.lease();
  return on(image, lease.engine());
}

PyImage Chain::on(const PyImage& image, const std::shared_ptr<Engine>& engine) const {
  Worker& worker = engine->worker;
  worker.report.begin();
  const ImageSteps::OfImage made = steps_.for_image(image.file(), image.name(), worker);
  if (made.steps.empty()) {
    return image;
  }
  DecodedImage file = file_of(image.file(), image.shape());
  PhotoOutput({}).follow(file, made.steps, made.result, {image.name(), ""}, worker);
  Backend& backend = worker.backends.get();
  std::optional<Picture> own;
  if (!image.device()) {
    own = backend.upload(image.host()->view());
  }
  for (const Step& step : made.steps) {
    const std::optional<Picture> mask = step.mask ? std::optional(backend.upload(step.mask->view())) : std::nullopt;
    const AttemptPicture input = own ? AttemptPicture(std::move(*own)) : AttemptPicture(image.device()->picture);
    own = step.run(backend, input, mask ? &*mask : nullptr);
    backend.wait();
  }
  Found found = image.found();
  for (const auto& tell : made.save_more) {  // these only report values: a Chain rejects steps that write files
    tell(worker.writer);
    const std::string result = worker.report.take_result();
    if (const std::size_t space = result.find(' '); space != std::string::npos) {
      found.emplace_back(result.substr(0, space), result.substr(space + 1));
    }
  }
  return {image_on(engine, std::move(*own), file_of(file, made.result), image.name()), std::move(found)};
}

namespace {

/// The content of the outputs that a worker has kept in memory.
std::string content_of(Worker& worker) {
  std::string content;
  for (const ItemOutputs::Kept& kept : worker.writer.take_kept()) {
    content.reserve(content.size() + kept.content->size());
    kept.content->for_each_part([&](std::span<const std::byte> part) {
      content.append(reinterpret_cast<const char*>(part.data()), part.size());
    });
  }
  return content;
}

}  // namespace

std::string numbers_of(const PyImage& image, const std::string& command, const Words& options,
                       const std::string& form) {
  const std::string output = "/dev/null/out." + form;  // a path at which no file can exist
  Words words = {command};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", kInMemory, output});
  const Lease lease = image.lease();
  Worker& worker = lease.worker();
  CommandLine line(all_commands(), [] { return std::string(); });
  line.pass_job(words, [&](ImageJob& job) {
    job.check_name(output);
    DecodedImage copy = file_of(image.file(), image.shape());
    copy.picture.reset();
    copy.image = image.device() ? lease.backend().download(image.device()->picture) : image.host()->clone();
    worker.begin_member(image.name(), std::move(copy));
    job.prepare(worker);
    if (const InOrder rest = job.run(worker, {image.name(), output})) {
      rest();
    }
  });
  return content_of(worker);
}

namespace {

/// Options for writing a photo, parsed from words of the command line.
struct Output {
  explicit Output(const Words& words) {
    CommandParser program("gpuimg", "");
    CommandParser& parser = program.add_subcommand("write", "");
    add_photo_options(parser, arguments);
    std::vector<const char*> argv = {"gpuimg", "write"};
    std::transform(words.begin(), words.end(), std::back_inserter(argv),
                   [](const std::string& word) { return word.c_str(); });
    if (program.parse(static_cast<int>(argv.size()), argv.data())) {
      throw Error(ErrorKind::usage, "--help is not possible here; leave it out");
    }
  }

  ImageOutputArguments arguments;
};

/// Encodes an image and stages the file in the writer of a leased worker, which must have begun an item.
void stage(const PyImage& image, const std::string& path, const Words& words, const Lease& lease) {
  Worker& worker = lease.worker();
  const Output asked(words);
  const PhotoOutput output(asked.arguments);
  const ItemPaths paths{image.name(), path};
  output.check(image.shape(), paths, worker);
  DecodedImage file = file_of(image.file(), image.shape());
  const codecs::WriteOptions options = output.carried_from(file, true, paths, worker);
  const std::shared_ptr<const Image> pixels = image.downloaded(lease);
  if (converted_format(image.shape().format, output.conversion()) == image.shape().format) {
    return worker.writer.save_image(path, pixels->view(), options);
  }
  worker.writer.save_image(path, worker.writer.converted(pixels->clone(), output.conversion()).view(), options);
}

}  // namespace

void write_file(const PyImage& image, const std::string& path, bool force, const Words& words) {
  const Lease lease = image.lease();
  Worker& worker = lease.worker();
  worker.begin_item(force);
  worker.writer.check(path, "", true);
  stage(image, path, words, lease);
  worker.writer.commit();
}

std::string encode(const PyImage& image, const std::string& format, const Words& options) {
  Words words = options;
  words.insert(words.end(), {"--format", format});
  const Lease lease = image.lease();
  lease.worker().begin_item();
  lease.worker().writer.begin(false, true);
  stage(image, fmt::format("{}.{}", kInMemory, format), words, lease);
  return content_of(lease.worker());
}

}  // namespace gpuimg::python
