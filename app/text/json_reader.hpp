// Reads JSON text (RFC 8259) of untrusted files. Only json_reader.cpp includes nlohmann/json, which is slow to compile:
// docs/decisions/0005-reading-json.md.
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

/// A value is missing or has the wrong type, or the text is not JSON.
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The text is truncated or not JSON.
struct JsonSyntaxError : JsonError {
  using JsonError::JsonError;
};

/// A value of a JsonDocument, which must outlive it. at() and the functions that convert throw JsonError.
class JsonValue {
 public:
  [[nodiscard]] JsonValue at(const std::string& key) const;
  [[nodiscard]] std::optional<JsonValue> find(const std::string& key) const;  ///< nothing if this is not an object
  [[nodiscard]] bool contains(const std::string& key) const { return find(key).has_value(); }

  [[nodiscard]] bool is_array() const;
  [[nodiscard]] std::vector<JsonValue> elements()
      const;  ///< of an array or object; of another value itself; of null none

  [[nodiscard]] bool is_integer() const;   ///< a whole number of 64 bits, with or without a sign
  [[nodiscard]] bool is_unsigned() const;  ///< the same, not negative
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] std::uint64_t unsigned_integer() const;
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
