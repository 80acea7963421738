// What one run of a subcommand over one input needs: options, clock, backend, and the steps between file and backend,
// each timed as its phase.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend_source.hpp"
#include "files/bytes.hpp"
#include "files/image_reader.hpp"
#include "files/image_writer.hpp"
#include "files/output_file.hpp"
#include "global_options.hpp"
#include "gpuimg/backend.hpp"
#include "phase_times.hpp"
#include "result_compare.hpp"

namespace gpuimg {

/// Host pixels that an operation works on.
struct OperationInput {
  Image image;
  std::optional<Image> mask;  ///< u8, 1 channel
};

class CommandContext {
 public:
  explicit CommandContext(const GlobalOptions& options) : options_(options), backends_(options) {}

  /// Refuses an output that must not be written, before any work: an existing file, the input itself, a terminal.
  void check_output_file(const std::string& output, const std::string& input, bool binary) const;

  Bytes read(const std::string& path);

  /// Reads and decodes; prints the file's notes.
  DecodedImage load(const std::string& path) { return decode(read(path), path); }
  DecodedImage decode(const Bytes& bytes, const std::string& path);

  /// For commands that compute luma: says under -v that the weights meet colors that are not sRGB, if they do.
  void note_luma_of(const DecodedImage& decoded, const std::string& path) const;

  /// operation(backend, picture, mask or nullptr) → Picture; its pixels. With --verify on both backends, throwing
  /// Error{mismatch} at the first difference. The input is released before the result is returned.
  template <class Operation>
  Image process(OperationInput input, const Operation& operation) {
    return verified(std::move(input), [&](Backend& backend, OperationInput pixels) {
      return download(backend, run(backend, std::move(pixels), operation));
    });
  }

  /// The same for an operation → Histogram.
  template <class Operation>
  Histogram count(OperationInput input, const Operation& operation) {
    return verified(std::move(input), [&](Backend& backend, OperationInput pixels) {
      return run(backend, std::move(pixels), operation);
    });
  }

  /// Encodes and writes an image file; "-" is PNG on standard output. Says under -v what of the metadata it cannot
  /// hold.
  void save_image(const std::string& output, ConstView pixels, WriteOptions write_options);

  /// Runs make() as the encode phase and writes what it returns.
  template <class Make>
  void save(const std::string& output, Make&& make) {
    const auto content = times_.measure(Phase::encode, std::forward<Make>(make));
    save_bytes(output, as_bytes(content));
  }

  /// The last step of a run: what was saved to files takes its final names, all or (but for a failing rename) none.
  /// Prints the times if they were asked for.
  void finish();

 private:
  [[nodiscard]] OverwriteRules overwrite_rules() const { return {options_.force, options_.in_place}; }
  Backend& backend();
  Picture upload(Backend& backend, Image image);
  Image download(Backend& backend, Picture picture);
  void save_bytes(const std::string& output, std::span<const std::byte> content);

  static OperationInput clone(const OperationInput& input) {
    return {input.image.clone(), input.mask ? std::optional<Image>(input.mask->clone()) : std::nullopt};
  }
  static std::span<const std::byte> as_bytes(const Bytes& bytes) { return bytes.span(); }
  static std::span<const std::byte> as_bytes(const std::string& text) {
    return std::as_bytes(std::span<const char>(text.data(), text.size()));
  }

  /// Uploads, computes and waits.
  template <class Operation>
  auto run(Backend& on, OperationInput input, const Operation& operation) {
    const Picture picture = upload(on, std::move(input.image));
    const std::optional<Picture> mask =
        input.mask ? std::optional<Picture>(upload(on, std::move(*input.mask))) : std::nullopt;
    return times_.measure(Phase::kernel, [&] {
      auto result = operation(on, picture, mask ? &*mask : nullptr);
      on.wait();
      return result;
    });
  }

  template <class Compute>
  auto verified(OperationInput input, const Compute& compute) {
    Backend& first = backend();
    if (!options_.verify) {
      return compute(first, std::move(input));
    }
    OperationInput again = clone(input);
    Backend& second = backends_.other();
    auto result = compute(first, std::move(input));
    const auto expected = compute(second, std::move(again));
    report_verified(first_difference(result, first.name(), expected, second.name()));
    return result;
  }

  /// Throws Error{mismatch} if there is a difference, else says under -v that there is none.
  void report_verified(const std::string& difference) const;

  struct Output {
    StagedOutput file;
    std::string name;
    std::size_t size;
  };

  GlobalOptions options_;
  PhaseTimes times_;
  BackendSource backends_;
  std::vector<Output> outputs_;  ///< whole, but not yet under their names
};

/// A mask as the backends take it: u8, 1 channel, 255 where any colour channel is not 0.
Image mask_of(ConstView pixels);

/// The lower-case ending of a path without its dot: "png"; empty for "-" and names without one.
std::string file_ending(const std::string& path);

/// The image type that `path` names; "-" is PNG. Throws Error{usage} that lists the endings.
ImageFileType image_file_type(const std::string& path);

}  // namespace gpuimg
