// The catalogue: a small file of every kind that is read, sound and broken in every way thought of, each with what must
// become of it. Made anew by each run, always of the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpuimg/image.hpp"
#include "support/file_bytes.hpp"

namespace gpuimg::test {

enum class Verdict : std::uint8_t {
  good,         ///< read, to the pixels expected
  damaged,      ///< refused with Error{decode}
  unsupported,  ///< refused with Error{unsupported}
};

struct CatalogueFile {
  std::string name;  ///< no two have the same up to the dot; the ending is the format's own
  FileBytes bytes;
  Verdict verdict = Verdict::damaged;
  std::string words;  ///< part of the refusal, or of the one note of a good file, which has none if it is empty
  Image expected;     ///< of a good file
  std::size_t whole_bytes = 0;  ///< of a good file: where its image ends. What follows may be cut off
};

class Catalogue {
 public:
  /// `note`: part of the one note that reading it gives; empty for none.
  void add_good(std::string name, FileBytes bytes, Image expected, std::string note = "");
  /// The same, with `behind` after the end of the image.
  void add_good_and_more(std::string name, FileBytes bytes, const FileBytes& behind, Image expected);
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
/// What is no image, or of a kind that is not read.
void add_strangers(Catalogue& to);

/// All of the above.
Catalogue make_catalogue();

}  // namespace gpuimg::test
