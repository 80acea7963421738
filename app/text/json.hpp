// JSON text (RFC 8259), written and read. The caller chooses the content. Only json.cpp includes nlohmann/json, which
// is slow to compile: docs/decisions/0005-reading-json.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
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
  /// Writes a key and the name of a file as text(). If the name is not UTF-8, a second member, such as "name_hex" for
  /// "name", has its bytes in hexadecimal.
  JsonWriter& name(std::string_view key_of_name, std::string_view bytes);
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

/// A value is missing or has the wrong type, or the text is not JSON.
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The text is truncated or not JSON.
struct JsonSyntaxError : JsonError {
  using JsonError::JsonError;
};

/// A value in a JsonDocument, which must outlive it. at() and the conversions throw JsonError.
class JsonValue {
 public:
  [[nodiscard]] JsonValue at(const std::string& key) const;
  /// Nothing if the key is missing, or if this is not an object.
  [[nodiscard]] std::optional<JsonValue> find(const std::string& key) const;
  [[nodiscard]] bool contains(const std::string& key) const { return find(key).has_value(); }

  [[nodiscard]] bool is_array() const;
  /// The elements of an array or object. Null has no elements; any other value is its own only element.
  [[nodiscard]] std::vector<JsonValue> elements() const;

  [[nodiscard]] bool is_integer() const;   ///< a whole number of 64 bits, with or without a sign
  [[nodiscard]] bool is_unsigned() const;  ///< a whole number of 64 bits that is not negative
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] std::uint64_t unsigned_integer() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::string text() const;

  [[nodiscard]] bool equals(std::string_view text) const;
  [[nodiscard]] bool equals(int number) const;

 private:
  friend class JsonDocument;
  explicit JsonValue(const void* json) : json_(json) {}

  const void* json_;
};

class JsonDocument {
 public:
  /// Throws JsonSyntaxError.
  explicit JsonDocument(std::string_view text);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;
  ~JsonDocument();

  [[nodiscard]] JsonValue root() const;

 private:
  struct Content;
  std::unique_ptr<const Content> content_;
};

}  // namespace gpuimg
