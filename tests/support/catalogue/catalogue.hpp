// The catalogue: small files of every format that gpuimg reads, valid and broken in many ways, each with the expected
// result. Each run generates the files again, always with the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpuimg/image.hpp"
#include "support/file_bytes.hpp"

namespace gpuimg::test {

enum class Verdict : std::uint8_t {
  good,         ///< read, with the expected pixels
  damaged,      ///< rejected with Error{decode}
  unsupported,  ///< rejected with Error{unsupported}
};

struct CatalogueFile {
  std::string name;  ///< unique even without the extension, which is the format's
  FileBytes bytes;
  Verdict verdict = Verdict::damaged;
  std::string words;            ///< part of the error, or of a good file's only note; empty if there is no note
  Image expected;               ///< only for a good file
  std::size_t whole_bytes = 0;  ///< only for a good file: bytes up to the end of its image; later bytes may be cut off
  std::string words_if_cut;     ///< part of the only note if the later bytes are cut off
};

class Catalogue {
 public:
  /// `note` is part of the only note that reading produces; empty if there is none.
  void add_good(std::string name, FileBytes bytes, Image expected, std::string note = "");
  /// Like add_good, for a file that consists of `bytes` and, after the end of the image, `extra`.
  void add_good_and_more(std::string name, FileBytes bytes, const FileBytes& extra, Image expected);
  /// Like add_good, for a file whose last `rest_bytes` bytes are not part of the image. `note_if_cut` is part of the
  /// note if these bytes are missing.
  void add_good_with_rest(std::string name, FileBytes bytes, std::size_t rest_bytes, Image expected, std::string note,
                          std::string note_if_cut);
  void add_damaged(std::string name, FileBytes bytes, std::string words = "");
  void add_unsupported(std::string name, FileBytes bytes, std::string words);

  [[nodiscard]] const std::vector<CatalogueFile>& files() const { return files_; }

 private:
  std::vector<CatalogueFile> files_;
};

void add_sound_pngs(Catalogue& to);
void add_broken_pngs(Catalogue& to);
void add_pngs_of_broken_data(Catalogue& to);
void add_sound_jpegs(Catalogue& to);
void add_broken_jpegs(Catalogue& to);
void add_sound_bmps(Catalogue& to);
void add_broken_bmps(Catalogue& to);
void add_tgas(Catalogue& to);
void add_gifs(Catalogue& to);
void add_psds(Catalogue& to);
void add_pnms(Catalogue& to);
void add_npys(Catalogue& to);
void add_tiffs(Catalogue& to);
void add_webps(Catalogue& to);
void add_heifs(Catalogue& to);
/// Files that are not images, or whose format gpuimg does not read.
void add_strangers(Catalogue& to);

/// All files of the catalogue.
Catalogue make_catalogue();

}  // namespace gpuimg::test
