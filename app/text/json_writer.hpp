// Writes JSON text (RFC 8259): commas, indentation, escapes. What is written is the caller's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuimg {

/// Objects and arrays stand on lines of their own, indented by two spaces; a container begun as Layout::line stays on
/// one line with all it holds. Inside an object each value follows a key().
class JsonWriter {
 public:
  enum class Layout : std::uint8_t { block, line };

  JsonWriter& begin_object(Layout layout = Layout::block) { return begin('{', '}', layout); }
  JsonWriter& begin_array(Layout layout = Layout::block) { return begin('[', ']', layout); }
  JsonWriter& end();

  JsonWriter& key(std::string_view name);
  JsonWriter& text(std::string_view bytes);  ///< invalid UTF-8 becomes U+FFFD
  JsonWriter& integer(std::uint64_t value);
  JsonWriter& real(double value);  ///< shortest text that reads back the same; null if not finite
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  JsonWriter& literal(std::string_view json);  ///< a number, true, false or null, already in its final form

  /// The text so far, with a final line break; leaves the writer empty.
  std::string take();

 private:
  struct Open {
    char closing = '}';
    Layout layout = Layout::block;
    bool is_empty = true;
  };

  JsonWriter& begin(char opening, char closing, Layout layout);
  void separate();
  void break_line();
  void append_quoted(std::string_view bytes);

  std::string out_;
  std::vector<Open> open_;
  bool after_key_ = false;
};

}  // namespace gpuimg
