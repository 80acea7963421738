// From pixels to an image file, encoded on the backend that holds them or on the host. This is the only place that
// chooses. docs/architecture.md, "How a JPEG is written" and "How a PNG is written".
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "backends/backends.hpp"
#include "cli/output_options.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/metadata/metadata.hpp"
#include "engine/command_context.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// A sink that appends to `bytes`.
ByteSink collect_in(std::vector<std::byte>& bytes) {
  return [&bytes](std::span<const std::byte> part) { bytes.insert(bytes.end(), part.begin(), part.end()); };
}

/// Empty if equal.
std::string difference_of_files(const std::vector<std::byte>& file, const std::string& encoded_by,
                                const std::vector<std::byte>& expected) {
  const auto [ours, theirs] = std::mismatch(file.begin(), file.end(), expected.begin(), expected.end());
  if (ours == file.end() && theirs == expected.end()) {
    return {};
  }
  return fmt::format("byte {} of the file that {} encoded is not that of the CPU", ours - file.begin(), encoded_by);
}

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

bool CommandContext::admit_encoder(Backend& on, const Encoding& as) {
  if (&on != backends_.made() || on.memory_is_host()) {
    return false;  // strips are put together on the host
  }
  try {
    return times_.measure(Phase::start, [&] {
      return shared_->admission.admit_encoder(on, as, options_.device,
                                              [&](std::string text) { note(std::move(text)); });
    });
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::device_fault) {
      throw;
    }
    return false;  // no memory for the test's images
  }
}

ProcessedImage CommandContext::encoded_or_downloaded(Backend& on, Picture picture, const std::optional<Encoding>& as) {
  ProcessedImage result;
  result.width = picture.width();
  result.height = picture.height();
  result.format = picture.format();
  if (as && admit_encoder(on, *as)) {
    result.encoded = times_.measure(Phase::encode, [&] { return on.encode(picture, *as); });
    result.encoded_by = on.name();
  }
  if (!result.encoded || options_.verify) {
    result.image = download(on, std::move(picture));
  }
  return result;
}

void CommandContext::save_image(const std::string& output, ConstView pixels, codecs::WriteOptions write_options) {
  sides_.encoded_by = backend_entry(BackendKind::cpu).name;
  write_image(output, pixels.format, std::move(write_options),
              [&](codecs::FileFormat format, const codecs::WriteOptions& options, const ByteSink& sink) {
                codecs::encode_image(pixels, format, output, options, sink);
              });
}

void CommandContext::save_image(const std::string& output, const ProcessedImage& result,
                                codecs::WriteOptions write_options) {
  if (!result.encoded) {
    return save_image(output, result.image.view(), std::move(write_options));
  }
  sides_.encoded_by = result.encoded_by;
  write_image(output, result.format, std::move(write_options),
              [&](codecs::FileFormat format, const codecs::WriteOptions& options, const ByteSink& sink) {
                if (options_.verify) {
                  verify_encoding(result, format, output, options);
                }
                codecs::write_encoded(*result.encoded, result.width, result.height, result.format, format, output,
                                      options, sink);
              },
              {result.encoded->span(), result.encoded->memory});
}

void CommandContext::verify_encoding(const ProcessedImage& result, codecs::FileFormat format, const std::string& output,
                                     const codecs::WriteOptions& write_options) {
  std::vector<std::byte> file;
  codecs::write_encoded(*result.encoded, result.width, result.height, result.format, format, output, write_options,
                        collect_in(file));
  refuse_difference(difference_of_files(file, result.encoded_by,
                                        codecs::encode_image(result.image.view(), format, output, write_options)));
}

codecs::WriteOptions CommandContext::file_options(const std::string& output, codecs::FileFormat format,
                                                  PixelFormat pixels, codecs::WriteOptions write_options) {
  codecs::CarriedMetadata carried = carried_metadata(std::move(write_options.metadata), format, pixels);
  for (const std::string& clause : carried.left_out) {
    detail(printable_name(output) + ": " + clause);
  }
  write_options.metadata = std::move(carried.metadata);
  write_options.threads = options_.threads;
  return write_options;
}

void CommandContext::write_image(const std::string& output, PixelFormat pixels, codecs::WriteOptions write_options,
                                 const EncodeTo& encode, LentBytes lent) {
  const codecs::FileFormat format = write_options.format ? *write_options.format : image_format(output);
  const codecs::WriteOptions options = file_options(output, format, pixels, std::move(write_options));
  outputs_.stage(
      output, Phase::encode, [&](const FileParts& to) { encode(format, options, to.append); }, std::move(lent));
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
