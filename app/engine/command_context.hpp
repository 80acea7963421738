// State of one run of a subcommand: options, timer, backend, and the steps between file and backend, each timed as its
// phase. Each worker has one and reuses it for its inputs.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/global_options.hpp"
#include "cli/messages.hpp"
#include "codecs/codec.hpp"
#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/rows.hpp"
#include "engine/backend_choice.hpp"
#include "engine/codec_selftest.hpp"
#include "engine/image_conversion.hpp"
#include "engine/item_outputs.hpp"
#include "engine/memory.hpp"
#include "engine/phase_times.hpp"
#include "engine/striped_backend.hpp"
#include "gpuimg/backend.hpp"
#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"
#include "gpuimg/picture.hpp"
#include "io/bytes.hpp"
#include "io/input_file.hpp"
#include "operations/result_compare.hpp"

namespace gpuimg {

class ImageJob;
struct ItemPaths;

/// u8, 1 channel. All images of a run share it, so nothing may change it. Null: there is none.
using SharedMask = std::shared_ptr<const Image>;

/// What an operation computes with: pixels on the host, on the backend that decoded them, or in a file, and a mask. An
/// attempt to compute only reads it, unless no other attempt can follow.
struct OperationInput {
  explicit OperationInput(Image pixels) : image(std::move(pixels)) {}
  explicit OperationInput(codecs::DecodedImage&& decoded, SharedMask chosen = nullptr)
      : image(std::move(decoded.image)),
        picture(std::move(decoded.picture)),
        rows(std::move(decoded.rows)),
        mask(std::move(chosen)) {}

  [[nodiscard]] int width() const { return picture ? picture->width() : rows ? rows->width() : image.width(); }
  [[nodiscard]] int height() const { return picture ? picture->height() : rows ? rows->height() : image.height(); }
  [[nodiscard]] PixelFormat format() const {
    return picture ? picture->format() : rows ? rows->format() : image.format();
  }

  /// Only for pixels on the host.
  [[nodiscard]] OperationInput clone() const {
    OperationInput copy(image.clone());
    copy.mask = mask;
    return copy;
  }

  Image image;
  std::optional<Picture> picture;           ///< in place of `image`
  std::shared_ptr<codecs::RowReader> rows;  ///< in place of `image`: pixels that are still in their file
  SharedMask mask;
};

/// The input of one attempt to compute. What is given as const is needed again if the attempt fails.
class AttemptInput {
 public:
  explicit AttemptInput(const OperationInput& kept) : input_(kept) {}
  explicit AttemptInput(OperationInput&& last) : input_(last), last_(&last) {}

  [[nodiscard]] const OperationInput* operator->() const { return &input_; }

  /// Takes the pixels on the host out of the input of the last attempt; nullopt if another attempt may follow.
  [[nodiscard]] std::optional<Image> take_image() const {
    return last_ != nullptr ? std::optional<Image>(std::move(last_->image)) : std::nullopt;
  }

 private:
  const OperationInput& input_;
  OperationInput* last_ = nullptr;
};

/// The Picture that an operation gets: the attempt's own, whose memory the result may take, or one that another attempt
/// may need.
class AttemptPicture {
 public:
  explicit AttemptPicture(const Picture& kept) : picture_(kept) {}
  explicit AttemptPicture(Picture&& own) : picture_(own), own_(&own) {}

  operator const Picture&() const { return picture_; }  // NOLINT: most operations only read

  /// Null if another attempt may need the Picture.
  [[nodiscard]] Picture* own() const { return own_; }

 private:
  const Picture& picture_;
  Picture* own_ = nullptr;
};

/// What an operation has made for an image file: pixels on the host, or the coded bytes that a backend made of them.
struct ProcessedImage {
  int width = 0;
  int height = 0;
  PixelFormat format;
  std::optional<Encoded> encoded;
  Image image;             ///< empty if `encoded` is there, except with --verify
  std::string encoded_by;  ///< the backend of `encoded`
};

/// Compares the pixels of both, which must be there.
inline std::string first_difference(const ProcessedImage& a, const std::string& a_name, const ProcessedImage& b,
                                    const std::string& b_name) {
  return first_difference(a.image, a_name, b.image, b_name);
}

/// What the workers of one run share: each codec is tested once, and each device has one total of memory.
struct SharedByWorkers {
  CodecAdmission admission;
  DeviceBudgets device_memory;
};

class CommandContext {
 public:
  /// A worker of a batch has many images, and keeps their messages, which the batch prints.
  enum class Role { command, worker };

  explicit CommandContext(const GlobalOptions& options, Role role = Role::command,
                          std::shared_ptr<SharedByWorkers> shared = std::make_shared<SharedByWorkers>())
      : options_(options),
        role_(role),
        shared_(std::move(shared)),
        backends_(options, role == Role::worker ? BackendSource::Images::many : BackendSource::Images::one),
        page_{options.page},
        outputs_(times_, {options.force, options.in_place}, options_.named_inputs) {}

  /// Resets the context for the next input: discards unfinished outputs, times, messages and backend. The next outputs
  /// may replace existing files if `replaces` or --force is set. A `page` with a number is in place of --page.
  void begin_item(bool replaces = false, codecs::PageRef page = {});

  /// Reads this page of the inputs from now on, without a reset.
  void turn_to(codecs::PageRef page) { page_ = page; }

  /// The same for an input that is in memory, such as a member of an archive: read(name) takes it, and outputs are kept
  /// for take_outputs() in place of finish().
  void begin_member(const std::string& name, Bytes content);

  /// Reads it first, into the memory that read() would use.
  void begin_member(const std::string& name, const FileSection& content);

  [[nodiscard]] std::vector<ItemOutputs::Kept> take_outputs() { return outputs_.take_kept(); }

  /// With --preserve-times: what the outputs of this input get. Call before the input is read.
  void preserve_times(const std::optional<FileTimes>& times) { outputs_.set_times(times); }

  void check_output_file(const std::string& output, const std::string& input, bool binary) {
    outputs_.check(output, input, binary);
  }

  Bytes read(const std::string& path, const CheckBeginning& check = nullptr);

  /// Reads an input, unless its first bytes are not those of an image.
  Bytes read_checked(const std::string& path);

  /// Reads and decodes an operation's input, on the backend if that has a decoder for it; prints the file's notes.
  /// Rejects a file by its first bytes, before it reads the rest, if they are not those of an image.
  codecs::DecodedImage load(const std::string& path);
  codecs::DecodedImage decode(const Bytes& bytes, const std::string& path);

  /// When to read rows in bands: always, if the host computes, or only if the image is too large. Every mode does so if
  /// the image and the job's result together exceed --max-memory.
  enum class RowsWhen { always, on_host, too_large };

  /// As load(), but may leave the pixels of one image in their file, if they can be read there in bands of rows.
  codecs::DecodedImage load_rows(const ItemPaths& paths, const ImageJob& job, RowsWhen when);

  /// In a batch, it does so only for an input that begins with this: the memory of pools is reused for others.
  /// `bytes`: what it may hold.
  void read_in_bands(std::uint64_t bytes) {
    in_bands_ = true;
    bytes_in_bands_ = bytes;
  }

  /// Decodes pixels on the host that are not an operation's input, such as a mask.
  Image load_on_host(const std::string& path) { return decode_on_host(read(path), path); }
  Image decode_on_host(const Bytes& bytes, const std::string& path);

  /// Progress callback for long operations: receives the part of the input that is done, 0 … 1, on any thread. May be
  /// empty.
  using Watcher = std::function<void(double part)>;
  void watch_with(Watcher watcher) { watcher_ = std::move(watcher); }
  [[nodiscard]] const Watcher& watcher() const { return watcher_; }

  /// For commands that compute luma: says under -v that the weights meet colors that are not sRGB, if they do.
  void note_luma_of(const codecs::DecodedImage& decoded, const std::string& path);

  /// Runs operation(backend, picture, mask or nullptr) → Picture and downloads its pixels. The operation gets an
  /// AttemptPicture, or a const Picture&. It may run several times, after a failure: it must not use up what it holds.
  /// With --verify, runs on both backends and throws Error{mismatch} at the first difference. Releases the input before
  /// it returns.
  template <class Operation>
  Image process(OperationInput input, const Operation& operation) {
    return verified(std::move(input), [&](Backend& backend, const AttemptInput& pixels) {
      return download(backend, run(backend, pixels, operation));
    });
  }

  /// The pixels of an input that load() gave, on the host, by way of the backend.
  Image pixels_of(OperationInput input);

  /// The same as process() for a result that is written as an image file. If its backend can encode it `as` asked, its
  /// pixels are not downloaded, except with --verify.
  template <class Operation>
  ProcessedImage process_for_file(OperationInput input, const std::optional<Encoding>& as, const Operation& operation) {
    return verified(std::move(input), [&](Backend& backend, const AttemptInput& pixels) {
      return encoded_or_downloaded(backend, run(backend, pixels, operation), as);
    });
  }

  /// The same, for an operation that returns a Histogram.
  template <class Operation>
  Histogram count(OperationInput input, const Operation& operation) {
    return verified(std::move(input),
                    [&](Backend& backend, const AttemptInput& pixels) { return run(backend, pixels, operation); });
  }

  /// Mask: nullptr if there is none.
  using ImageOperation = std::function<Picture(Backend& backend, const AttemptPicture& picture, const Picture* mask)>;

  /// Begins a file of rows; null if it can only be written from the whole image.
  using OpenWriter = std::function<std::unique_ptr<codecs::RowWriter>(const FileParts& to)>;

  /// Runs the operation and writes its result to `output`, through the writer that `open` begins, which must not be
  /// null. Rows that were left in their file, and those that a device computes, are written as they come.
  void write_result(OperationInput input, const std::string& output, const OpenWriter& open,
                    const ImageOperation& operation);

  /// Writes pixels the same way. What is in `lent` may be kept for a stream without a copy.
  void save_rows(const std::string& output, ConstView pixels, const OpenWriter& open, LentBytes lent = {});

  /// For rows that were left in their file: runs the operation on bands of them, converts its result, of the format
  /// `result`, and writes it to an image file as it comes. Returns false if the result must be held: process_for_file()
  /// then computes it from `input`.
  bool process_rows_for_file(OperationInput& input, const std::string& output, PixelFormat result,
                             const ImageConversion& conversion, codecs::WriteOptions write_options,
                             const ImageOperation& operation);

  /// Converts alpha and bit depth for the output, as part of the encode phase.
  Image converted(Image image, const ImageConversion& conversion) {
    return times_.measure(Phase::encode, [&] { return convert(std::move(image), conversion); });
  }

  /// Encodes and writes an image file, as the type of `write_options` or of its name; a stream without an ending is
  /// PNG. Says under -v what of the metadata it cannot hold.
  void save_image(const std::string& output, ConstView pixels, codecs::WriteOptions write_options);

  /// The same for pixels that may be encoded already; `write_options` as when their Encoding was made.
  void save_image(const std::string& output, const ProcessedImage& result, codecs::WriteOptions write_options);

  /// Runs make() in the encode phase and writes its result. A std::string is text, which replaces no image and no
  /// input.
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
    return times_.measure(Phase::encode, std::forward<Make>(make));
  }

  /// Commits the outputs of an input.
  void finish();

  /// Prints the times with --timing.
  void print_times() const;

  void note(std::string text) { tell(Verbosity::normal, std::move(text)); }
  void detail(std::string text) { tell(Verbosity::verbose, std::move(text)); }

  [[nodiscard]] std::vector<Message> take_messages() { return std::exchange(messages_, {}); }
  [[nodiscard]] const PhaseTimes& times() const { return times_; }

  /// The backend of this input: "cpu", "cuda", or empty if none was used yet.
  [[nodiscard]] const std::string& backend_name() const { return backend_name_; }

  /// The device of this input; nullopt if its backend computes in host memory, or none was needed yet.
  [[nodiscard]] std::optional<int> device() const { return device_; }

  /// Which sides decoded the input and encoded the output.
  [[nodiscard]] const CodecSides& sides() const { return sides_; }

  /// Keeps what the input adds to the output of all, for the manifest.
  void keep_result(std::string result) { result_ = std::move(result); }
  [[nodiscard]] std::string take_result() { return std::exchange(result_, {}); }

  /// True if a committed output replaced a file other than the input.
  [[nodiscard]] bool has_replaced() const { return outputs_.has_replaced(); }

 private:
  void tell(Verbosity least, std::string text);
  void record(const Backend& backend);
  Backend& backend();

  /// Memory that a file is read into, or null for ordinary memory.
  LendMemory input_memory();

  /// The backend whose memory files and pixels may use, in a batch; else nullptr.
  [[nodiscard]] Backend* batch_backend() const;

  /// For decoding on the host.
  codecs::ReadOptions host_options();

  /// Those of an operation's input: with the page.
  codecs::ReadOptions input_options();

  void expect_image(const codecs::DeclaredImage& declared);

  /// Takes note of what was decoded, and prints the notes.
  void finish_decoding(const codecs::DecodedImage& decoded, const std::string& name);

  /// The backend that will use the pixels, if it is to decode the file itself; waits for its start. nullptr: the host
  /// decodes.
  Backend* decoding_backend(const EncodedImage& encoded);

  /// Compares the Picture with the host's pixels, which then replace it: each backend starts from the same.
  void verify_decoding(codecs::DecodedImage& decoded, const Bytes& bytes, const std::string& name);
  void tell_about(const codecs::DecodedImage& decoded, const std::string& name);

  /// Tests the backend's own encoder before its first use; returns whether it may be used.
  bool admit_encoder(Backend& on, const Encoding& as);
  ProcessedImage encoded_or_downloaded(Backend& on, Picture picture, const std::optional<Encoding>& as);

  /// Throws Error{mismatch} unless the host encodes the pixels to the same file.
  static void verify_encoding(const ProcessedImage& result, codecs::FileFormat format, const std::string& output,
                              const codecs::WriteOptions& write_options);

  using EncodeTo =
      std::function<void(codecs::FileFormat format, const codecs::WriteOptions& options, const ByteSink& sink)>;
  void write_image(const std::string& output, PixelFormat pixels, codecs::WriteOptions write_options,
                   const EncodeTo& encode, LentBytes lent = {});

  /// The options for the file of `output`; says under -v what of the metadata it cannot hold.
  codecs::WriteOptions file_options(const std::string& output, codecs::FileFormat format, PixelFormat pixels,
                                    codecs::WriteOptions write_options);

  /// Of the host's pixels, which only the last attempt may give away.
  Picture uploaded(Backend& backend, const AttemptInput& input);
  Picture upload(Backend& backend, ConstView pixels);
  Image download(Backend& backend, Picture&& picture);
  Image download(Backend& backend, const Picture& picture);

  /// Downloads a Picture: strips and other backends take their input from host memory.
  void bring_to_host(Backend& from, OperationInput& input);

  static std::span<const std::byte> as_bytes(const Bytes& bytes) { return bytes.span(); }
  static std::span<const std::byte> as_bytes(const std::vector<std::byte>& bytes) { return bytes; }
  static std::span<const std::byte> as_bytes(const std::string& text) {
    return std::as_bytes(std::span<const char>(text.data(), text.size()));
  }

  /// Uploads the input unless it was decoded there, runs the operation and waits for it.
  template <class Operation>
  auto run(Backend& on, const AttemptInput& input, const Operation& operation) {
    std::optional<Picture> own;
    if (!input->picture) {
      own = input->rows ? picture_of(input->rows) : uploaded(on, input);
    }
    const std::optional<Picture> mask =
        input->mask ? std::optional<Picture>(upload(on, input->mask->view())) : std::nullopt;
    return times_.measure(input->rows ? Phase::decode : Phase::kernel, [&] {
      const AttemptPicture picture = own ? AttemptPicture(std::move(*own)) : AttemptPicture(*input->picture);
      auto result = operation(on, picture, mask ? &*mask : nullptr);
      on.wait();
      return result;
    });
  }

  bool wants_rows(const ItemPaths& paths, const ImageJob& job, RowsWhen when, const codecs::DeclaredImage& declared,
                  std::uint64_t file_bytes);

  /// For rows that were left in their file: runs the operation on bands of them, and writes its result to `output` as
  /// it comes, so that neither image is ever held. Returns false if the result must be computed from `input` as a
  /// whole.
  bool process_rows(OperationInput& input, const std::string& output, const OpenWriter& open,
                    const ImageOperation& operation);

  /// Runs visit(backend, memory of a band), on the CPU if a device has no memory for bands and `auto` allows it.
  void in_bands(Backend& on, const std::function<void(Backend& backend, const StripMemory& memory)>& visit);

  /// Waits for the share of device memory that a band takes.
  StripMemory band_memory(Backend& on, MemoryShare& share);

  /// Decodes the file of rows that are void: the input of all further attempts. Throws the decoder's verdict.
  OperationInput read_whole(OperationInput input);

  /// The file of rows, for messages.
  [[nodiscard]] std::string rows_name() const;

  /// Throws Error{out_of_memory} if --max-memory does not leave room for the whole image.
  void refuse_whole(const codecs::RowReader& rows) const;

  using Compute = std::function<void(Backend& backend, const AttemptInput& input)>;

  /// Runs compute(backend, input), again if need be. Uses strips if the device lacks memory for the whole image,
  /// detected before or during the computation. With `auto`, falls back to the CPU if strips do not fit either.
  void computed(Backend& on, OperationInput input, const Compute& compute);

  /// The total for the images in flight on the device of `backend`.
  MemoryBudget& device_memory(Backend& backend) {
    return shared_->device_memory.of(backend, options_.device, options_.max_device_memory);
  }

  /// Waits for device memory to decode the file and run any operation on it. False if there is never enough, or if a
  /// picture of this input has its share already: an item that waits holds nothing, so that all can finish.
  bool try_take_memory_for(const EncodedImage& encoded, Backend& on);

  /// Keeps the share of what the file was decoded to.
  void keep_memory_for(const std::optional<Picture>& decoded);

  /// Waits for the input's share of device memory unless it has one. Returns the bytes of device memory per strip, the
  /// input being on the host then; 0 if the whole image fits, or if the backend uses host memory.
  std::size_t device_memory_limit(Backend& on, const OperationInput& input, MemoryShare& share);

  /// The same, after the device ran out of memory: waits until the image is alone there.
  std::size_t room_alone(Backend& on, OperationInput& input, MemoryShare& share);

  /// True if strips ran out of device memory, and the CPU may take the image.
  [[nodiscard]] bool allows_cpu_after(const Error& error) const;

  /// The CPU's backend for an image whose strips the device has no memory for; says so.
  Backend& cpu_for_strips();

  /// Returns compute(backend, input); with --verify, compares it with that of another backend.
  template <class ComputeResult>
  auto verified(OperationInput input, const ComputeResult& compute) {
    using Result = std::invoke_result_t<ComputeResult, Backend&, const AttemptInput&>;
    const auto result_on = [&](Backend& on, OperationInput given) {
      Result result;
      computed(on, std::move(given),
               [&](Backend& backend, const AttemptInput& pixels) { result = compute(backend, pixels); });
      return result;
    };
    Backend& first = backend();
    if (!options_.verify) {
      return result_on(first, std::move(input));
    }
    OperationInput again = input.clone();  // on the host, as verify_decoding() leaves it
    Backend& second = backends_.other();
    Result result = result_on(first, std::move(input));
    const Result expected = result_on(second, std::move(again));
    refuse_difference(first_difference(result, first.name(), expected, second.name()));
    detail("verify: both backends computed the same bytes");
    return result;
  }

  /// Throws Error{mismatch} if there is a difference.
  static void refuse_difference(const std::string& difference);

  GlobalOptions options_;
  Role role_;
  std::vector<Message> messages_;
  PhaseTimes times_;
  std::shared_ptr<SharedByWorkers> shared_;
  BackendSource backends_;
  InputBuffer input_buffer_;
  bool in_bands_ = false;  ///< load_rows() leaves pixels in their file
  std::uint64_t bytes_in_bands_ = 0;
  std::string rows_path_;                      ///< the file of an input that is read in bands
  std::shared_ptr<const Bytes> rows_content_;  ///< of a pipe
  std::vector<std::string> told_;              ///< its notes
  MemoryShare share_;  ///< of the device's memory, for the decoded picture that no operation has taken yet
  std::string backend_name_;
  CodecSides sides_;
  std::optional<int> device_;
  std::string result_;
  std::map<std::string, Bytes> members_;  ///< inputs in memory, by name
  codecs::PageRef page_;                  ///< of the input
  Watcher watcher_;
  ItemOutputs outputs_;
};

}  // namespace gpuimg
