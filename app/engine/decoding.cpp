// From a file to pixels, on the host or on the backend that will use them. This is the only place that chooses.
// docs/architecture.md, "How a JPEG is read".
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "backends/backends.hpp"
#include "codecs/file_header.hpp"
#include "engine/command_context.hpp"
#include "engine/image_job.hpp"
#include "engine/memory.hpp"
#include "io/input_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {

void CommandContext::begin_member(const std::string& name, const FileSection& content) {
  begin_member(name, Bytes());  // what an earlier item has borrowed comes back first
  members_[name] = times_.measure(Phase::read, [&] { return read_input(content, input_memory()); });
}

LendMemory CommandContext::input_memory() {
  if (Backend* backend = batch_backend(); backend != nullptr && !backend->memory_is_host()) {
    return [this, backend](std::size_t bytes) { return input_buffer_.lend(*backend, bytes); };
  }
  return nullptr;
}

Bytes CommandContext::read(const std::string& path, const CheckBeginning& check) {
  if (const auto member = members_.extract(path)) {
    return std::move(member.mapped());
  }
  Bytes bytes = times_.measure(Phase::read, [&] { return read_input(path, input_memory(), check); });
  if (path == "-" && bytes.size == 0) {
    refuse_empty(path);
  }
  return bytes;
}

/// For one image, memory of its own is as good: the backend may not even be made while it is decoded.
Backend* CommandContext::batch_backend() const { return role_ == Role::worker ? backends_.made() : nullptr; }

codecs::ReadOptions CommandContext::host_options() {
  codecs::ReadOptions read{.max_pixels = options_.max_pixels,
                           .auto_orient = options_.auto_orient,
                           .lenient = options_.lenient,
                           .threads = options_.threads};
  if (options_.trusts_sizes) {
    read.max_sparse_pixels = options_.max_pixels;
  }
  if (Backend* backend = batch_backend()) {
    read.new_image = [backend](int width, int height, PixelFormat format) {
      return backend->new_image(width, height, format);
    };
  }
  return read;
}

Backend* CommandContext::decoding_backend(const EncodedImage& encoded) {
  if (!backends_.expects_device()) {
    return nullptr;
  }
  try {
    Backend& backend = backends_.get();
    const auto tell_why = [&](std::string text) { note(std::move(text)); };
    const bool may = !backend.memory_is_host() &&
                     shared_->admission.admit_decoder(backend, options_.device, tell_why) &&
                     try_take_memory_for(encoded, backend);
    return may ? &backend : nullptr;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::device_fault) {
      throw;  // the backend is lost, and the run with it
    }
    return nullptr;  // backend() meets a missing device again, but what is wrong with the file is told first
  }
}

codecs::ReadOptions CommandContext::input_options() {
  codecs::ReadOptions read = host_options();
  read.page = page_;
  return read;
}

codecs::DecodedImage CommandContext::load(const std::string& path) {
  if (path != "-" && !members_.contains(path)) {
    const auto expect = [&](const codecs::DeclaredImage& declared) { expect_image(declared); };
    std::optional<codecs::DecodedImage> decoded =
        times_.measure(Phase::decode, [&] { return codecs::decode_file(path, input_options(), expect); });
    if (decoded) {
      sides_.decoded_by = backend_entry(BackendKind::cpu).name;
      finish_decoding(*decoded, path);
      return std::move(*decoded);
    }
  }
  // The first bytes of a file have been looked at above.
  return decode(path == "-" ? read_checked(path) : read(path), path);
}

bool CommandContext::wants_rows(const ItemPaths& paths, const ImageJob& job, RowsWhen when,
                                const codecs::DeclaredImage& declared, std::uint64_t file_bytes) {
  expect_image(declared);
  const bool on_device = backends_.expects_device();
  if (on_device && declared.suits_backends) {
    return false;  // it is decoded there
  }
  return when == RowsWhen::always || (when == RowsWhen::on_host && !on_device) || in_bands_ ||
         whole_bytes(job, paths, file_bytes, declared) > memory_for_images(options_.max_memory);
}

codecs::DecodedImage CommandContext::load_rows(const ItemPaths& paths, const ImageJob& job, RowsWhen when) {
  const std::string& path = paths.input;
  const bool may = role_ == Role::command || in_bands_;
  if (!may || members_.contains(path) || options_.verify) {
    return load(path);
  }
  const auto wants = [&](const codecs::DeclaredImage& declared, std::uint64_t file_bytes) {
    return wants_rows(paths, job, when, declared, file_bytes);
  };
  std::shared_ptr<const Bytes> content;  // of a pipe, which can be read once
  if (path == "-") {
    content = std::make_shared<const Bytes>(read_checked(path));
  }
  std::optional<codecs::DecodedImage> opened = times_.measure(Phase::decode, [&] {
    return content ? codecs::open_image_rows(content, path, input_options(), wants)
                   : codecs::open_image_rows(path, input_options(), wants);
  });
  if (!opened) {
    return content ? decode(*content, path) : load(path);
  }
  sides_.decoded_by = backend_entry(BackendKind::cpu).name;
  rows_path_ = path;
  rows_content_ = std::move(content);
  told_ = opened->notes;
  finish_decoding(*opened, unescaped_input_name(path));
  return std::move(*opened);
}

Bytes CommandContext::read_checked(const std::string& path) {
  return read(path, [&](std::span<const std::byte> beginning) {
    codecs::check_beginning(beginning, unescaped_input_name(path));
  });
}

/// Creates the CUDA context while the host decodes.
void CommandContext::expect_image(const codecs::DeclaredImage& declared) {
  if (declared.pixels() > 0 && declared.pixels() <= options_.max_pixels) {
    backends_.expect_image(declared.pixels(), declared.suits_backends);
  }
}

codecs::DecodedImage CommandContext::decode(const Bytes& bytes, const std::string& path) {
  const std::string name = unescaped_input_name(path);
  expect_image(codecs::declared_image(bytes.span(), path));
  codecs::DecodedImage decoded;
  times_.measure(Phase::decode, [&] {
    codecs::ReadOptions options = input_options();
    options.decode_on_backend = [&](const EncodedImage& encoded) -> std::optional<Picture> {
      Backend* const backend = times_.measure(Phase::start, [&] { return decoding_backend(encoded); });
      if (backend == nullptr) {
        return std::nullopt;
      }
      record(*backend);
      std::optional<Picture> picture = backend->decode(encoded);
      keep_memory_for(picture);
      return picture;
    };
    decoded = codecs::decode_image(bytes.span(), name, options);
  });
  sides_.decoded_by = decoded.picture ? backends_.get().name() : backend_entry(BackendKind::cpu).name;
  if (decoded.picture && options_.verify) {
    verify_decoding(decoded, bytes, name);
  }
  finish_decoding(decoded, name);
  return decoded;
}

void CommandContext::finish_decoding(const codecs::DecodedImage& decoded, const std::string& name) {
  if ((decoded.pages > 1 || decoded.has_lost_pages) && outputs_.replaces_input()) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: has {} page{}, and --in-place would keep one of them; name another OUT",
                            printable_name(name), decoded.pages,
                            decoded.has_lost_pages ? decoded.pages > 1 ? "s and lost ones" : " and lost ones" : "s"));
  }
  backends_.expect_image(decoded.pixel_count(), false);
  tell_about(decoded, name);
}

void CommandContext::verify_decoding(codecs::DecodedImage& decoded, const Bytes& bytes, const std::string& name) {
  Backend& backend = backends_.get();
  const Image pixels = download(backend, std::move(*decoded.picture));
  decoded.picture.reset();
  share_.release();
  decoded.image = times_.measure(
      Phase::decode, [&] { return std::move(codecs::decode_image(bytes.span(), name, host_options()).image); });
  refuse_difference(
      first_difference(pixels, backend.name(), decoded.image, std::string(backend_entry(BackendKind::cpu).name)));
}

Image CommandContext::decode_on_host(const Bytes& bytes, const std::string& path) {
  codecs::DecodedImage decoded = times_.measure(
      Phase::decode, [&] { return codecs::decode_image(bytes.span(), unescaped_input_name(path), host_options()); });
  tell_about(decoded, unescaped_input_name(path));
  return std::move(decoded.image);
}

void CommandContext::tell_about(const codecs::DecodedImage& decoded, const std::string& name) {
  const std::string shown = printable_name(name, page_.number);
  for (const std::string& text : decoded.notes) {
    note(shown + ": " + text);
  }
  for (const std::string& text : decoded.details) {
    detail(shown + ": " + text);
  }
  detail(fmt::format("read {}: {} {}x{}, {} channels of {} bits", shown, codecs::codec_of(decoded.file_format).name,
                     decoded.width(), decoded.height(), decoded.format().channels,
                     8 * sample_bytes(decoded.format().sample)));
}

}  // namespace gpuimg
