// Reads a file, a pipe or a member of an archive. The pixels end up on the host, on the backend that will use them, or
// stay in their file as rows. Only the Loader chooses whether the host or a device decodes. docs/architecture.md, "How
// a JPEG is read".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/image_reader.hpp"
#include "engine/backend_choice.hpp"
#include "engine/codec_selftest.hpp"
#include "engine/item_outputs.hpp"
#include "engine/item_report.hpp"
#include "engine/placement.hpp"
#include "io/bytes.hpp"
#include "io/input_file.hpp"

namespace gpuimg {

class ImageJob;
struct ItemPaths;

/// When to read rows in bands: always; only if the host computes; only if the image is too large; or never. Every mode
/// but `never` also does so if the image and the job's result together exceed --max-memory.
enum class RowsWhen { always, on_host, too_large, never };

class Loader {
 public:
  /// What a loader works with. Everything in it must outlive the loader.
  struct Parts {
    const GlobalOptions& options;
    ItemReport& report;
    BackendSource& backends;
    DeviceMemory& device_memory;
    CodecAdmission& admission;
    const ItemOutputs& outputs;
    bool has_many_images;  ///< files and pixels then use the backend's memory
  };
  explicit Loader(const Parts& parts) : parts_(parts), page_{parts.options.page} {}

  /// Prepares for the next input. A `page` with a number overrides --page.
  void begin(codecs::PageRef page);

  /// Adds an input that is in memory, such as a member of an archive: read(name) returns it; begin() drops it. The
  /// second overload first reads it into the memory that read() would use.
  void add_member(const std::string& name, Bytes content);
  void add_member(const std::string& name, const FileSection& content);

  /// Adds an input that is already decoded, for one load(); begin() drops it.
  void add_member(const std::string& name, codecs::DecodedImage image);

  /// Reads this page of the inputs from now on.
  void turn_to(codecs::PageRef page) { page_ = page; }

  Bytes read(const std::string& path, const CheckBeginning& check = nullptr);

  /// Reads an input, but rejects it by its first bytes if they are not those of an image.
  Bytes read_checked(const std::string& path);

  /// Reads and decodes an operation's input, on the backend if it has a decoder for the file; prints the file's notes.
  /// Rejects a file by its first bytes, before it reads the rest, if they are not those of an image.
  codecs::DecodedImage load(const std::string& path);
  codecs::DecodedImage decode(const Bytes& bytes, const std::string& path);

  /// Like load(), but may leave the pixels of one image in the file if they can be read there in bands of rows.
  codecs::DecodedImage load_rows(const ItemPaths& paths, const ImageJob& job, RowsWhen when);

  /// True if add_member() has added an input of this name that no load() has taken yet.
  [[nodiscard]] bool holds_member(const std::string& name) const {
    return members_.contains(name) || images_.contains(name);
  }

  /// For operations that compute luma: under -v, prints a message if the weights are applied to colors that are not
  /// sRGB.
  void note_luma_of(PixelFormat pixels, const codecs::Metadata& metadata, const std::string& path);

  /// In a batch, call right after begin() to let load_rows() leave the pixels in the file; otherwise, load_rows()
  /// decodes them into pooled memory. `bytes`: the memory that the input may use.
  void read_in_bands(std::uint64_t bytes) { band_bytes_ = bytes; }

  /// The memory that the input's bands may use together.
  [[nodiscard]] std::uint64_t bytes_for_bands() const;

  /// Decodes the whole image after its bands turned out to be invalid (RowReader::read). Throws the decoder's error if
  /// the file is damaged, and Error{out_of_memory} if --max-memory or a control group leaves no room for the image.
  Image read_whole(std::shared_ptr<codecs::RowReader> rows);

  /// Decodes pixels on the host that are not an operation's input, such as a mask.
  Image load_on_host(const std::string& path) { return decode_on_host(read(path), path); }
  Image decode_on_host(const Bytes& bytes, const std::string& path);

 private:
  [[nodiscard]] const GlobalOptions& options() const { return parts_.options; }
  PhaseTimes& times() { return parts_.report.times(); }

  /// Memory that a file is read into, or null for ordinary memory.
  LendMemory input_memory();

  /// In a batch, the backend whose memory files and pixels may use; otherwise null.
  [[nodiscard]] Backend* batch_backend() const;

  /// For decoding on the host.
  codecs::ReadOptions host_options();

  /// The options for an operation's input, including the page.
  codecs::ReadOptions input_options();

  void expect_image(const codecs::DeclaredImage& declared);
  /// True if a device is expected to decode the file. The whole file is then in memory besides the result.
  bool device_decodes(const codecs::DeclaredImage& declared, std::uint64_t file_bytes);
  bool wants_rows(const ItemPaths& paths, const ImageJob& job, RowsWhen when, const codecs::DeclaredImage& declared,
                  std::uint64_t file_bytes);

  /// Rejects a file of several pages with --in-place, tells the backends the size, and prints the file's notes.
  void finish_decoding(const codecs::DecodedImage& decoded, const std::string& name);
  void tell_about(const codecs::DecodedImage& decoded, const std::string& name);

  /// The backend that will use the pixels, if it should decode the file itself; waits until it exists. Null: the host
  /// decodes.
  Backend* decoding_backend(const EncodedImage& encoded);

  /// nullopt if the host must decode the file.
  std::optional<codecs::DecodedImage> decoded_on_backend(const Bytes& bytes, const std::string& name);

  /// Compares the Picture with the host's pixels, which then replace it, so that each backend starts from the same
  /// pixels.
  void verify_decoding(codecs::DecodedImage& decoded, const Bytes& bytes, const std::string& name);

  /// The name, for messages, of the file that is read in bands.
  [[nodiscard]] std::string rows_name() const;
  void reject_whole(const codecs::RowReader& rows) const;

  Parts parts_;
  InputBuffer input_buffer_;
  codecs::PageRef page_;                  ///< of the input
  std::map<std::string, Bytes> members_;  ///< inputs in memory, by name
  std::map<std::string, codecs::DecodedImage> images_;
  std::optional<std::uint64_t> band_bytes_;    ///< of read_in_bands()
  std::uint64_t bytes_beside_bands_ = 0;       ///< BandDecoding::bytes of an input that is read in bands
  std::string rows_path_;                      ///< the file of an input that is read in bands
  std::shared_ptr<const Bytes> rows_content_;  ///< its content, if it is a pipe
  std::vector<std::string> printed_notes_;     ///< notes about the file that were printed
};

}  // namespace gpuimg
