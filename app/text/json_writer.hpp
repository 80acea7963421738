// Writes JSON text (RFC 8259): commas, indentation, escapes. The caller chooses the content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuimg {

/// Writes objects and arrays on separate lines, indented by two spaces. A container begun with Layout::line stays on
/// one line with its content. Inside an object, call key() before each value.
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
  JsonWriter& literal(std::string_view json);  ///< a number, true, false or null, already formatted

  /// Returns the text so far with a final line break, and leaves the writer empty.
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
