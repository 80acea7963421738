// Turns pixels into the outputs of an input: converts alpha and depth, encodes on the host or uses the bytes that a
// backend has encoded, then stages and commits the outputs. docs/architecture.md, "How a JPEG is written" and "How a
// PNG is written".
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "codecs/image_writer.hpp"
#include "codecs/rows.hpp"
#include "engine/executor.hpp"
#include "engine/image_conversion.hpp"
#include "engine/item_outputs.hpp"
#include "engine/item_report.hpp"
#include "io/bytes.hpp"
#include "operations/operation_traits.hpp"

namespace gpuimg {

/// Starts a file that is written row by row; returns null if it can only be written from the whole image.
using OpenWriter = std::function<std::unique_ptr<codecs::RowWriter>(const FileParts& to)>;

class OutputWriter {
 public:
  /// Borrows both arguments.
  OutputWriter(const GlobalOptions& options, ItemReport& report)
      : options_(options),
        report_(report),
        outputs_(report.times(), {options.force, options.in_place}, options.named_inputs) {}

  /// Prepares for the next input: discards unfinished outputs. The next outputs may replace existing files if
  /// `replaces` or --force is set. With `keeps_all`, they are kept for take_kept() instead of commit().
  void begin(bool replaces, bool keeps_all = false) {
    outputs_.begin({options_.force || replaces, options_.in_place}, keeps_all);
  }

  /// With --preserve-times: the outputs of this input get these access and modification times. Call before the input is
  /// read.
  void preserve_times(const std::optional<FileTimes>& times) { outputs_.set_times(times); }

  /// As ItemOutputs::check.
  void check(const std::string& output, const std::string& input, bool binary) {
    outputs_.check(output, input, binary);
  }
  [[nodiscard]] const ItemOutputs& outputs() const { return outputs_; }

  /// Runs the steps and writes their result to `output`. `open` must not return null. Rows that were left in their
  /// file, and rows that a device computes, are written as they arrive.
  void write_result(Executor& executor, OperationInput input, const Steps& steps, const std::string& output,
                    const OpenWriter& open);

  /// Writes pixels the same way. For a stream, bytes in `lent` may be kept without a copy.
  void save_rows(const std::string& output, ConstView pixels, const OpenWriter& open, LentBytes lent = {});

  /// For rows that were left in their file: runs the steps on bands of them, converts the result and writes it to an
  /// image file while it is computed. Returns false if the result must be in memory as a whole: the caller must then
  /// compute it from `input`.
  bool write_photo_in_bands(Executor& executor, OperationInput& input, const Steps& steps, const ImageShape& result,
                            const std::string& output, const ImageConversion& conversion,
                            codecs::WriteOptions write_options);

  /// Converts alpha and bit depth for the output, as part of the encode phase.
  Image converted(Image image, const ImageConversion& conversion) {
    return report_.times().measure(Phase::encode, [&] { return convert(std::move(image), conversion); });
  }

  /// Encodes and writes an image file in the format of `write_options` or of its name; a stream without an extension is
  /// PNG. Under -v, reports which metadata the file cannot contain.
  void save_image(const std::string& output, ConstView pixels, codecs::WriteOptions write_options);

  /// The same for pixels that may be encoded already; `write_options` are those that the Encoding was made with.
  void save_image(const std::string& output, const ProcessedImage& result, codecs::WriteOptions write_options);

  /// Writes a file that `produce` makes in parts. The time of `produce` itself counts for no phase.
  void save_parts(const std::string& output, const std::function<void(const FileParts& to)>& produce) {
    outputs_.stage(output, std::nullopt, produce);
  }

  /// Runs make() in the encode phase and writes its result. A std::string is text, which must not replace an image or
  /// an input.
  template <class Make>
  void save(const std::string& output, Make&& make) {
    using Content = std::decay_t<decltype(make())>;
    const auto content = std::make_shared<const Content>(encoded(std::forward<Make>(make)));
    LentBytes bytes{as_bytes(*content), content};
    if constexpr (std::is_same_v<Content, std::string>) {
      outputs_.stage_text(output, std::move(bytes));
    } else {
      outputs_.stage(output, std::move(bytes));
    }
  }

  /// Runs make() in the encode phase.
  template <class Make>
  auto encoded(Make&& make) {
    return report_.times().measure(Phase::encode, std::forward<Make>(make));
  }

  /// Commits the outputs of an input, and reports what was written.
  void commit();

  [[nodiscard]] std::vector<ItemOutputs::Kept> take_kept() { return outputs_.take_kept(); }

  /// True if a committed output replaced a file other than the input.
  [[nodiscard]] bool has_replaced() const { return outputs_.has_replaced(); }

 private:
  /// Throws Error{mismatch} unless the host encodes the pixels to the same file.
  static void verify_encoding(const ProcessedImage& result, codecs::FileFormat format, const std::string& output,
                              const codecs::WriteOptions& write_options);

  using EncodeTo =
      std::function<void(codecs::FileFormat format, const codecs::WriteOptions& options, const ByteSink& sink)>;
  void write_image(const std::string& output, PixelFormat pixels, codecs::WriteOptions write_options,
                   const EncodeTo& encode, LentBytes lent = {});

  /// The options for the file of `output`. Under -v, reports which metadata the file cannot contain.
  codecs::WriteOptions file_options(const std::string& output, codecs::FileFormat format, PixelFormat pixels,
                                    codecs::WriteOptions write_options);

  /// The StageRows that stages `output` with the writer from `open`.
  StageRows rows_to(const std::string& output, const OpenWriter& open);

  static std::span<const std::byte> as_bytes(const std::vector<std::byte>& bytes) { return bytes; }
  static std::span<const std::byte> as_bytes(const std::string& text) {
    return std::as_bytes(std::span<const char>(text.data(), text.size()));
  }

  const GlobalOptions& options_;
  ItemReport& report_;
  ItemOutputs outputs_;
};

}  // namespace gpuimg
