// Builds ICC profiles byte by byte: ICC.1:2022, section 7, with the type "desc" of ICC.1:2001.
#include "support/icc_maker.hpp"

namespace gpuimg::test {

namespace {

FileBytes description_tag(const IccChoices& choices) {
  const auto length = choices.description.size();
  FileBytes tag = bytes_of(choices.version_4 ? "mluc" : "desc");
  add_be(tag, 0, 4);
  if (!choices.version_4) {
    add_be(tag, length + 1, 4);
    add_text(tag, choices.description);
    add_be(tag, 0, 1);
    return tag;
  }
  constexpr int kFirstText = 28;
  add_be(tag, 1, 4);
  add_be(tag, 12, 4);
  add_text(tag, "enUS");
  add_be(tag, 2 * length, 4);
  add_be(tag, kFirstText, 4);
  for (const char c : choices.description) {
    add_be(tag, static_cast<unsigned char>(c), 2);
  }
  return tag;
}

}  // namespace

FileBytes make_icc(const IccChoices& choices) {
  constexpr std::size_t kHeader = 128;
  constexpr std::size_t kTable = 4 + 12;
  FileBytes body;
  if (choices.description.empty()) {
    add_be(body, 0, 4);
  } else {
    const FileBytes tag = description_tag(choices);
    add_be(body, 1, 4);
    add_text(body, "desc");
    add_be(body, kHeader + kTable, 4);
    add_be(body, tag.size(), 4);
    add_bytes(body, tag);
  }
  std::uint32_t state = 1;
  while (kHeader + body.size() < choices.size) {
    state = state * 1664525 + 1013904223;
    body.push_back(static_cast<std::byte>(state >> 24));
  }
  FileBytes profile;
  add_be(profile, kHeader + body.size(), 4);
  add_text(profile, "test");
  add_be(profile, choices.version_4 ? 0x04400000 : 0x02400000, 4);
  add_text(profile, "mntr");
  add_text(profile, choices.color_space);
  add_text(profile, "XYZ ");
  profile.resize(36);
  add_text(profile, "acsp");
  profile.resize(kHeader);
  add_bytes(profile, body);
  return profile;
}

}  // namespace gpuimg::test
