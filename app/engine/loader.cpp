// Reads files in the way that suits their format, and decides whether the host or a device decodes.
#include "engine/loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backends/backends.hpp"
#include "codecs/file_header.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/threads.hpp"
#include "engine/image_job.hpp"
#include "engine/memory.hpp"
#include "operations/result_checks.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {

void Loader::begin(codecs::PageRef page) {
  page_ = page.number > 0 ? page : codecs::PageRef{options().page};
  members_.clear();
  images_.clear();
  band_bytes_.reset();
  bytes_beside_bands_ = 0;
  rows_content_.reset();
}

void Loader::add_member(const std::string& name, Bytes content) { members_.emplace(name, std::move(content)); }

void Loader::add_member(const std::string& name, const FileSection& content) {
  members_[name] = times().measure(Phase::read, [&] { return read_input(content, input_memory()); });
}

void Loader::add_member(const std::string& name, codecs::DecodedImage image) {
  images_.emplace(name, std::move(image));
}

LendMemory Loader::input_memory() {
  if (Backend* backend = batch_backend(); backend != nullptr && !backend->memory_is_host()) {
    return [this, backend](std::size_t bytes) { return input_buffer_.lend(*backend, bytes); };
  }
  return nullptr;
}

/// A single image gains nothing from the backend's memory, and the backend may not even exist while the image is
/// decoded.
Backend* Loader::batch_backend() const { return parts_.has_many_images ? parts_.backends.made() : nullptr; }

Bytes Loader::read(const std::string& path, const CheckBeginning& check) {
  if (const auto member = members_.extract(path)) {
    return std::move(member.mapped());
  }
  Bytes bytes = times().measure(Phase::read, [&] { return read_input(path, input_memory(), check); });
  if (path == "-" && bytes.size == 0) {
    reject_empty(path);
  }
  return bytes;
}

Bytes Loader::read_checked(const std::string& path) {
  return read(path, [&](std::span<const std::byte> beginning) {
    codecs::check_beginning(beginning, unescaped_input_name(path));
  });
}

codecs::ReadOptions Loader::host_options() {
  codecs::ReadOptions read{.max_pixels = options().max_pixels,
                           .auto_orient = options().auto_orient,
                           .lenient = options().lenient,
                           .threads = options().threads};
  if (options().trusts_sizes) {
    read.max_sparse_pixels = options().max_pixels;
  }
  if (Backend* backend = batch_backend()) {
    read.new_image = [backend](int width, int height, PixelFormat format) {
      return backend->new_image(width, height, format);
    };
  }
  return read;
}

codecs::ReadOptions Loader::input_options() {
  codecs::ReadOptions read = host_options();
  read.page = page_;
  return read;
}

Backend* Loader::decoding_backend(const EncodedImage& encoded) {
  try {
    Backend& backend = parts_.backends.get();
    const auto tell_why = [&](std::string text) { parts_.report.note(std::move(text)); };
    const bool may = !backend.memory_is_host() &&
                     parts_.admission.admit_decoder(backend, encoded, options().device, tell_why) &&
                     parts_.device_memory.try_reserve(encoded, backend);
    return may ? &backend : nullptr;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::device_fault) {
      throw;  // the backend is lost, which ends the run
    }
    return nullptr;  // the executor reports a missing device later, so that errors in the file come first
  }
}

codecs::DecodedImage Loader::load(const std::string& path) {
  if (auto image = images_.extract(path)) {
    parts_.backends.expect_image(image.mapped().pixel_count(), 0.0);
    return std::move(image.mapped());
  }
  if (path != "-" && !members_.contains(path)) {
    const auto wants = [&](const codecs::DeclaredImage& declared, std::uint64_t file_bytes) {
      expect_image(declared);
      return !device_decodes(declared, file_bytes);
    };
    std::optional<codecs::DecodedImage> decoded =
        times().measure(Phase::decode, [&] { return codecs::decode_file(path, input_options(), wants); });
    if (decoded) {
      parts_.report.sides().decoded_by = backend_entry(BackendKind::cpu).name;
      finish_decoding(*decoded, path);
      return std::move(*decoded);
    }
  }
  // decode_file() has already checked the first bytes of a file.
  return decode(path == "-" ? read_checked(path) : read(path), path);
}

bool Loader::device_decodes(const codecs::DeclaredImage& declared, std::uint64_t file_bytes) {
  return declared.suits_backends && parts_.backends.expects_device() &&
         2 * file_bytes <= memory_for_images(options().max_memory);
}

bool Loader::wants_rows(const ItemPaths& paths, const ImageJob& job, RowsWhen when,
                        const codecs::DeclaredImage& declared, std::uint64_t file_bytes) {
  expect_image(declared);
  const bool on_device = parts_.backends.expects_device();
  const bool is_too_large =
      band_bytes_ || whole_bytes(job, paths, file_bytes, declared) > memory_for_images(options().max_memory);
  if (on_device && declared.suits_backends && !(is_too_large && declared.is_large_beside_pixels)) {
    return false;  // the device decodes it
  }
  return when == RowsWhen::always || (when == RowsWhen::on_host && !on_device) || is_too_large;
}

codecs::DecodedImage Loader::load_rows(const ItemPaths& paths, const ImageJob& job, RowsWhen when) {
  const std::string& path = paths.input;
  const bool may = !parts_.has_many_images || band_bytes_;
  if (!may || when == RowsWhen::never || holds_member(path) || options().verify) {
    return load(path);
  }
  const auto wants = [&](const codecs::DeclaredImage& declared, std::uint64_t file_bytes) {
    return wants_rows(paths, job, when, declared, file_bytes);
  };
  std::shared_ptr<const Bytes> content;  // of a pipe, which can be read only once
  if (path == "-") {
    content = std::make_shared<const Bytes>(read_checked(path));
  }
  std::optional<codecs::DecodedImage> opened = times().measure(Phase::decode, [&] {
    codecs::ReadOptions read = input_options();
    if (options().max_memory) {
      const codecs::DeclaredImage declared =
          content ? codecs::declared_image(content->span(), path) : codecs::declared_image_in(path);
      const int threads = codecs::allowed_threads(read.threads);
      const BandDecoding decoding = band_decoding(job, paths, declared, threads, bytes_for_bands());
      read.threads = decoding.threads;
      bytes_beside_bands_ = decoding.bytes;
    }
    return content ? codecs::open_image_rows(content, path, read, wants) : codecs::open_image_rows(path, read, wants);
  });
  if (!opened) {
    return content ? decode(*content, path) : load(path);
  }
  parts_.report.sides().decoded_by = backend_entry(BackendKind::cpu).name;
  rows_path_ = path;
  rows_content_ = std::move(content);
  printed_notes_ = opened->notes;
  finish_decoding(*opened, unescaped_input_name(path));
  return std::move(*opened);
}

void Loader::note_luma_of(PixelFormat pixels, const codecs::Metadata& metadata, const std::string& path) {
  const std::string space = pixels.color_channels() == 3 ? foreign_color_space(metadata) : "";
  if (!space.empty()) {
    parts_.report.detail(fmt::format("{}: luma is computed from its values as they are, though they are not sRGB: {}",
                                     input_name(path), space));
  }
}

std::uint64_t Loader::bytes_for_bands() const {
  const std::uint64_t all = band_bytes_ ? *band_bytes_ : memory_for_images(options().max_memory);
  return all - std::min(all, bytes_beside_bands_);
}

std::string Loader::rows_name() const { return input_name(rows_path_, page_.number); }

void Loader::reject_whole(const codecs::RowReader& rows) const {
  const std::uint64_t pixels = static_cast<std::uint64_t>(rows.width()) * static_cast<std::uint64_t>(rows.height());
  const std::uint64_t bytes = pixels * rows.format().bytes_per_pixel();
  const std::optional<MostMemory> most = memory_for_one(options().max_memory);
  if (most && bytes > most->bytes) {
    throw Error(
        ErrorKind::out_of_memory,
        rows_name() + ": must be read as a whole, because it is damaged or unusual; it " + why_too_large(bytes, *most));
  }
}

Image Loader::read_whole(std::shared_ptr<codecs::RowReader> rows) {
  reject_whole(*rows);
  rows.reset();
  const std::shared_ptr<const Bytes> content =
      rows_content_ ? std::exchange(rows_content_, nullptr) : std::make_shared<const Bytes>(read(rows_path_));
  codecs::DecodedImage decoded = times().measure(
      Phase::decode, [&] { return codecs::decode_image(content->span(), rows_path_, input_options()); });
  for (const std::string& text : decoded.notes) {
    if (std::find(printed_notes_.begin(), printed_notes_.end(), text) == printed_notes_.end()) {
      parts_.report.note(rows_name() + ": " + text);
    }
  }
  return std::move(decoded.image);
}

/// Lets a device backend start while the host decodes.
void Loader::expect_image(const codecs::DeclaredImage& declared) {
  if (declared.pixels() > 0 && declared.pixels() <= options().max_pixels) {
    parts_.backends.expect_image(declared.pixels(), declared.decoding_ms);
  }
}

std::optional<codecs::DecodedImage> Loader::decoded_on_backend(const Bytes& bytes, const std::string& name) {
  if (!parts_.backends.expects_device()) {
    return std::nullopt;
  }
  const codecs::ReadOptions options = input_options();
  std::optional<codecs::DescribedImage> described = codecs::describe_image(bytes.span(), name, options);
  if (!described) {
    return std::nullopt;
  }
  Backend* const backend = times().measure(Phase::start, [&] { return decoding_backend(described->encoded); });
  if (backend == nullptr) {
    return std::nullopt;
  }
  parts_.report.record(*backend, parts_.options.device);
  std::optional<Picture> picture = backend->decode(described->encoded);
  parts_.device_memory.keep_share_of(picture);
  if (!picture) {
    return std::nullopt;
  }
  return codecs::described_image(std::move(*described), std::move(*picture), options);
}

codecs::DecodedImage Loader::decode(const Bytes& bytes, const std::string& path) {
  const std::string name = unescaped_input_name(path);
  expect_image(codecs::declared_image(bytes.span(), path));
  codecs::DecodedImage decoded = times().measure(Phase::decode, [&] {
    std::optional<codecs::DecodedImage> there =
        parts_.backends.guarded([&] { return decoded_on_backend(bytes, name); });
    return there ? std::move(*there) : codecs::decode_image(bytes.span(), name, input_options());
  });
  parts_.report.sides().decoded_by =
      decoded.picture ? parts_.backends.get().name() : backend_entry(BackendKind::cpu).name;
  if (decoded.picture && options().verify) {
    verify_decoding(decoded, bytes, name);
  }
  finish_decoding(decoded, name);
  return decoded;
}

void Loader::finish_decoding(const codecs::DecodedImage& decoded, const std::string& name) {
  if ((decoded.pages > 1 || decoded.has_lost_pages) && parts_.outputs.replaces_input()) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: has {} page{}, and --in-place would keep only one of them; omit --in-place and name OUT",
                    printable_name(name), decoded.pages,
                    decoded.has_lost_pages
                        ? decoded.pages > 1 ? "s and others that are lost" : " and others that are lost"
                        : "s"));
  }
  parts_.backends.expect_image(decoded.pixel_count(), 0.0);
  tell_about(decoded, name);
}

void Loader::verify_decoding(codecs::DecodedImage& decoded, const Bytes& bytes, const std::string& name) {
  Backend& backend = parts_.backends.get();
  const Image pixels = times().measure(Phase::download, [&] {
    return parts_.backends.guarded([&] { return backend.download(std::move(*decoded.picture)); });
  });
  decoded.picture.reset();
  parts_.device_memory.release();
  decoded.image = times().measure(
      Phase::decode, [&] { return std::move(codecs::decode_image(bytes.span(), name, host_options()).image); });
  reject_difference(
      first_difference(pixels, backend.name(), decoded.image, std::string(backend_entry(BackendKind::cpu).name)));
}

Image Loader::decode_on_host(const Bytes& bytes, const std::string& path) {
  codecs::DecodedImage decoded = times().measure(
      Phase::decode, [&] { return codecs::decode_image(bytes.span(), unescaped_input_name(path), host_options()); });
  tell_about(decoded, unescaped_input_name(path));
  return std::move(decoded.image);
}

void Loader::tell_about(const codecs::DecodedImage& decoded, const std::string& name) {
  const std::string shown = printable_name(name, page_.number);
  for (const std::string& text : decoded.notes) {
    parts_.report.note(shown + ": " + text);
  }
  for (const std::string& text : decoded.details) {
    parts_.report.detail(shown + ": " + text);
  }
  parts_.report.detail(fmt::format("read {}: {} {}x{}, {} channels of {} bits", shown,
                                   codecs::codec_of(decoded.file_format).name, decoded.width(), decoded.height(),
                                   decoded.format().channels, 8 * sample_bytes(decoded.format().sample)));
}

}  // namespace gpuimg
