// From file to file in bands of rows, for images that are not held. docs/decisions/0022-bands-of-rows.md.
#include <algorithm>
#include <utility>

#include "backends/backends.hpp"
#include "cli/output_options.hpp"
#include "codecs/image_writer.hpp"
#include "engine/command_context.hpp"
#include "engine/image_job.hpp"
#include "engine/memory.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// Converts rows on their way to a file.
class ConvertingWriter final : public codecs::RowWriter {
 public:
  ConvertingWriter(std::unique_ptr<codecs::RowWriter> to, const ImageConversion& conversion)
      : to_(std::move(to)), conversion_(conversion) {}

  void write(ConstView rows) override { to_->write(convert(copy_of(rows), conversion_).view()); }
  void finish() override { to_->finish(); }

 private:
  std::unique_ptr<codecs::RowWriter> to_;
  const ImageConversion& conversion_;
};

}  // namespace

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
  finish_decoding(*opened, path == "-" ? "standard input" : path);
  return std::move(*opened);
}

void CommandContext::in_bands(Backend& on,
                              const std::function<void(Backend& backend, const StripMemory& memory)>& visit) {
  try {
    MemoryShare share;
    return visit(on, band_memory(on, share));
  } catch (const Error& error) {
    if (on.memory_is_host() || !allows_cpu_after(error)) {
      throw;
    }
    Backend& cpu = cpu_for_strips();
    MemoryShare none;
    visit(cpu, band_memory(cpu, none));
  }
}

/// In host memory, bands stay in the cache of a core; on a device, they are worth a transfer. Those with halo rows are
/// read again with each band, so they are as large as may be.
StripMemory CommandContext::band_memory(Backend& on, MemoryShare& share) {
  constexpr std::size_t kInCache = std::size_t{256} << 10;
  constexpr std::size_t kTransfer = std::size_t{8} << 20;
  const std::uint64_t room = in_bands_ ? bytes_in_bands_ : memory_for_images(options_.max_memory);
  const std::size_t most = std::max<std::size_t>(kInCache, room / 2);
  if (on.memory_is_host()) {
    return {kInCache, most};
  }
  MemoryBudget& memory = device_memory(on);
  const std::size_t bytes = std::min({memory.bytes(), most, std::max(kTransfer, memory.bytes() / 4)});
  times_.measure(Phase::start, [&] { share = MemoryShare(memory, bytes); });
  return {std::min(kTransfer, bytes), bytes};
}

void CommandContext::refuse_whole(const codecs::RowReader& rows) const {
  const std::uint64_t pixels = static_cast<std::uint64_t>(rows.width()) * static_cast<std::uint64_t>(rows.height());
  const std::uint64_t bytes = pixels * rows.format().bytes_per_pixel();
  const std::optional<MostMemory> most = memory_for_one(options_.max_memory);
  if (most && bytes > most->bytes) {
    throw Error(ErrorKind::out_of_memory, rows_name() + ": is damaged or unusual, so that it is read as a whole; it " +
                                              why_too_large(bytes, *most));
  }
}

std::string CommandContext::rows_name() const {
  return rows_path_ == "-" ? "standard input" : printable_name(rows_path_, page_.number);
}

OperationInput CommandContext::read_whole(OperationInput input) {
  refuse_whole(*input.rows);
  input.rows.reset();
  const std::shared_ptr<const Bytes> content =
      rows_content_ ? std::exchange(rows_content_, nullptr) : std::make_shared<const Bytes>(read(rows_path_));
  codecs::DecodedImage decoded =
      times_.measure(Phase::decode, [&] { return codecs::decode_image(content->span(), rows_path_, input_options()); });
  for (const std::string& text : decoded.notes) {
    if (std::find(told_.begin(), told_.end(), text) == told_.end()) {
      note(rows_name() + ": " + text);
    }
  }
  input.image = std::move(decoded.image);
  return input;
}

bool CommandContext::process_rows(OperationInput& input, const std::string& output, const OpenWriter& open,
                                  const ImageOperation& operation) {
  if (!input.rows) {
    return false;
  }
  const auto write_bands = [&](Backend& on, const StripMemory& memory) {
    outputs_.stage(output, Phase::decode, [&](const FileParts& to) {
      const std::unique_ptr<codecs::RowWriter> writer = open(to);
      if (writer == nullptr) {
        throw VoidStrips();
      }
      StripedBackend bands(on, memory, &times_,
                           [&](ConstView rows) { times_.measure(Phase::encode, [&] { writer->write(rows); }); });
      const std::optional<Picture> mask = input.mask ? std::optional(bands.upload(input.mask->view())) : std::nullopt;
      Picture rows = picture_of(input.rows);
      (void)operation(bands, AttemptPicture(std::move(rows)), mask ? &*mask : nullptr);
      times_.measure(Phase::encode, [&] { writer->finish(); });
    });
  };
  try {
    in_bands(backend(), write_bands);
    return true;
  } catch (const VoidStrips&) {
    input = read_whole(std::move(input));
    return false;
  }
}

void CommandContext::write_result(OperationInput input, const std::string& output, const OpenWriter& open,
                                  const ImageOperation& operation) {
  if (process_rows(input, output, open, operation)) {
    return;
  }
  if (options_.verify || outputs_.is_kept(output)) {
    const auto image = std::make_shared<const Image>(process(std::move(input), operation));
    return save_rows(output, image->view(), open, {{image->view().data, image->size_bytes()}, image});
  }
  computed(backend(), std::move(input), [&](Backend& on, const AttemptInput& pixels) {
    Picture result = run(on, pixels, operation);
    const Phase phase = on.memory_is_host() ? Phase::encode : Phase::download;
    outputs_.stage(output, phase, [&](const FileParts& to) {
      const std::unique_ptr<codecs::RowWriter> writer = open(to);
      on.download_rows(std::move(result), [&](ConstView rows) { writer->write(rows); });
      writer->finish();
    });
  });
}

void CommandContext::save_rows(const std::string& output, ConstView pixels, const OpenWriter& open, LentBytes lent) {
  outputs_.stage(
      output, Phase::encode,
      [&](const FileParts& to) {
        const std::unique_ptr<codecs::RowWriter> writer = open(to);
        writer->write(pixels);
        writer->finish();
      },
      std::move(lent));
}

bool CommandContext::process_rows_for_file(OperationInput& input, const std::string& output, PixelFormat result,
                                           const ImageConversion& conversion, codecs::WriteOptions write_options,
                                           const ImageOperation& operation) {
  if (!input.rows) {
    return false;
  }
  const codecs::FileFormat format = write_options.format ? *write_options.format : image_format(output);
  const PixelFormat written = converted_format(result, conversion);
  const codecs::WriteOptions options = file_options(output, format, written, std::move(write_options));
  sides_.encoded_by = backend_entry(BackendKind::cpu).name;
  const auto open = [&, width = input.width(), height = input.height()](const FileParts& to) {
    auto writer = codecs::open_image_writer(width, height, written, format, output, options, to);
    return writer == nullptr || written == result ? std::move(writer)
                                                  : std::make_unique<ConvertingWriter>(std::move(writer), conversion);
  };
  return process_rows(input, output, open, operation);
}

}  // namespace gpuimg
