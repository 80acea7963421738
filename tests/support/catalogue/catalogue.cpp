// Adds files to the catalogue, and assembles the whole catalogue.
#include "support/catalogue/catalogue.hpp"

namespace gpuimg::test {

void Catalogue::add_good(std::string name, FileBytes bytes, Image expected, std::string note) {
  const std::size_t whole_bytes = bytes.size();
  files_.push_back({std::move(name), std::move(bytes), Verdict::good, note, std::move(expected), whole_bytes, note});
}

void Catalogue::add_good_and_more(std::string name, FileBytes bytes, const FileBytes& extra, Image expected) {
  add_good(std::move(name), std::move(bytes), std::move(expected));
  add_bytes(files_.back().bytes, extra);
}

void Catalogue::add_good_with_rest(std::string name, FileBytes bytes, std::size_t rest_bytes, Image expected,
                                   std::string note, std::string note_if_cut) {
  add_good(std::move(name), std::move(bytes), std::move(expected), std::move(note));
  files_.back().whole_bytes -= rest_bytes;
  files_.back().words_if_cut = std::move(note_if_cut);
}

void Catalogue::add_damaged(std::string name, FileBytes bytes, std::string words) {
  files_.push_back({std::move(name), std::move(bytes), Verdict::damaged, std::move(words), {}, 0, ""});
}

void Catalogue::add_unsupported(std::string name, FileBytes bytes, std::string words) {
  files_.push_back({std::move(name), std::move(bytes), Verdict::unsupported, std::move(words), {}, 0, ""});
}

Catalogue make_catalogue() {
  Catalogue all;
  add_sound_pngs(all);
  add_broken_pngs(all);
  add_pngs_of_broken_data(all);
  add_sound_jpegs(all);
  add_broken_jpegs(all);
  add_sound_bmps(all);
  add_broken_bmps(all);
  add_tgas(all);
  add_gifs(all);
  add_psds(all);
  add_pnms(all);
  add_npys(all);
#if GPUIMG_HAS_TIFF
  add_tiffs(all);
#endif
#if GPUIMG_HAS_WEBP
  add_webps(all);
#endif
#if GPUIMG_HAS_HEIF
  add_heifs(all);
#endif
  add_strangers(all);
  return all;
}

}  // namespace gpuimg::test
