// Encodes on the host, or writes the file around what a backend has encoded.
#include "engine/output_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/backends.hpp"
#include "cli/output_options.hpp"
#include "codecs/metadata/metadata.hpp"
#include "io/output_file.hpp"
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

void OutputWriter::save_image(const std::string& output, ConstView pixels, codecs::WriteOptions write_options) {
  report_.sides().encoded_by = backend_entry(BackendKind::cpu).name;
  write_image(output, pixels.format, std::move(write_options),
              [&](codecs::FileFormat format, const codecs::WriteOptions& options, const ByteSink& sink) {
                codecs::encode_image(pixels, format, output, options, sink);
              });
}

void OutputWriter::save_image(const std::string& output, const ProcessedImage& result,
                              codecs::WriteOptions write_options) {
  if (!result.encoded) {
    return save_image(output, result.image.view(), std::move(write_options));
  }
  report_.sides().encoded_by = result.encoded_by;
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

void OutputWriter::verify_encoding(const ProcessedImage& result, codecs::FileFormat format, const std::string& output,
                                   const codecs::WriteOptions& write_options) {
  std::vector<std::byte> file;
  codecs::write_encoded(*result.encoded, result.width, result.height, result.format, format, output, write_options,
                        collect_in(file));
  reject_difference(difference_of_files(file, result.encoded_by,
                                        codecs::encode_image(result.image.view(), format, output, write_options)));
}

codecs::WriteOptions OutputWriter::file_options(const std::string& output, codecs::FileFormat format,
                                                PixelFormat pixels, codecs::WriteOptions write_options) {
  codecs::CarriedMetadata carried = carried_metadata(std::move(write_options.metadata), format, pixels);
  for (const std::string& clause : carried.left_out) {
    report_.detail(printable_name(output) + ": " + clause);
  }
  write_options.metadata = std::move(carried.metadata);
  write_options.threads = options_.threads;
  return write_options;
}

void OutputWriter::write_image(const std::string& output, PixelFormat pixels, codecs::WriteOptions write_options,
                               const EncodeTo& encode, LentBytes lent) {
  const codecs::FileFormat format = write_options.format ? *write_options.format : image_format(output);
  const codecs::WriteOptions options = file_options(output, format, pixels, std::move(write_options));
  outputs_.stage(
      output, Phase::encode, [&](const FileParts& to) { encode(format, options, to.append); }, std::move(lent));
}

void OutputWriter::save_rows(const std::string& output, ConstView pixels, const OpenWriter& open, LentBytes lent) {
  outputs_.stage(
      output, Phase::encode,
      [&](const FileParts& to) {
        const std::unique_ptr<codecs::RowWriter> writer = open(to);
        writer->write(pixels);
        writer->finish();
      },
      std::move(lent));
}

StageRows OutputWriter::rows_to(const std::string& output, const OpenWriter& open) {
  return [&](Phase phase, const std::function<bool(codecs::RowWriter&)>& produce) {
    return outputs_.try_stage(output, phase, [&](const FileParts& to) {
      const std::unique_ptr<codecs::RowWriter> writer = open(to);
      return writer != nullptr && produce(*writer);
    });
  };
}

void OutputWriter::write_result(Executor& executor, OperationInput input, const Steps& steps, const std::string& output,
                                const OpenWriter& open) {
  const StageRows stage = rows_to(output, open);
  if (executor.write_bands(input, steps, stage)) {
    return;
  }
  if (options_.verify || outputs_.is_kept(output)) {
    const auto image = std::make_shared<const Image>(executor.process(std::move(input), steps));
    return save_rows(output, image->view(), open, {{image->view().data, image->size_bytes()}, image});
  }
  executor.write_rows(std::move(input), steps, stage);
}

bool OutputWriter::write_photo_in_bands(Executor& executor, OperationInput& input, const Steps& steps,
                                        const ImageShape& result, const std::string& output,
                                        const ImageConversion& conversion, codecs::WriteOptions write_options) {
  if (!input.rows) {
    return false;
  }
  const codecs::FileFormat format = write_options.format ? *write_options.format : image_format(output);
  const PixelFormat written = converted_format(result.format, conversion);
  const codecs::WriteOptions options = file_options(output, format, written, std::move(write_options));
  report_.sides().encoded_by = backend_entry(BackendKind::cpu).name;
  const OpenWriter open = [&](const FileParts& to) {
    auto writer = codecs::open_image_writer(result.width, result.height, written, format, output, options, to);
    return writer == nullptr || written == result.format
               ? std::move(writer)
               : std::make_unique<ConvertingWriter>(std::move(writer), conversion);
  };
  return executor.write_bands(input, steps, rows_to(output, open));
}

void OutputWriter::commit() {
  // In a batch, the summary line reports the number of replaced files.
  const bool is_batch = report_.messages_are() == ItemReport::Messages::kept;
  report_.reserve_messages(outputs_.announce(is_batch ? Verbosity::verbose : Verbosity::normal));
  outputs_.commit([&](Message message) { report_.tell(std::move(message)); });
  if (CapturedStreams* captured = is_batch ? nullptr : captured_streams()) {
    const std::lock_guard lock(captured->mutex);
    const std::vector<std::string> files = outputs_.files();
    captured->files.insert(captured->files.end(), files.begin(), files.end());
  }
}

}  // namespace gpuimg
