// Reads JSON text by nlohmann/json.
#include "text/json_reader.hpp"

#include <nlohmann/json.hpp>

namespace gpuimg {
namespace {

using Json = nlohmann::json;

const Json& of(const void* json) { return *static_cast<const Json*>(json); }

/// Calls read() → value, and throws our exceptions in place of the library's.
template <class Read>
auto checked(const Read& read) {
  try {
    return read();
  } catch (const Json::parse_error& error) {
    throw JsonSyntaxError(error.what());
  } catch (const Json::exception& error) {
    throw JsonError(error.what());
  }
}

}  // namespace

struct JsonDocument::Content {
  Json json;
};

JsonDocument::JsonDocument(std::string_view text)
    : content_(
          checked([&] { return std::make_unique<const Content>(Content{Json::parse(text.begin(), text.end())}); })) {}

JsonDocument::~JsonDocument() = default;

JsonValue JsonDocument::root() const { return JsonValue(&content_->json); }

JsonValue JsonValue::at(const std::string& key) const {
  return checked([&] { return JsonValue(&of(json_).at(key)); });
}

std::optional<JsonValue> JsonValue::find(const std::string& key) const {
  const auto found = of(json_).find(key);
  return found == of(json_).end() ? std::nullopt : std::optional(JsonValue(&*found));
}

bool JsonValue::is_array() const { return of(json_).is_array(); }

std::vector<JsonValue> JsonValue::elements() const {
  std::vector<JsonValue> values;
  values.reserve(of(json_).size());
  for (const Json& value : of(json_)) {
    values.push_back(JsonValue(&value));
  }
  return values;
}

bool JsonValue::is_integer() const { return of(json_).is_number_integer(); }

bool JsonValue::is_unsigned() const { return of(json_).is_number_unsigned(); }

std::int64_t JsonValue::integer() const {
  return checked([&] { return of(json_).get<std::int64_t>(); });
}

std::uint64_t JsonValue::unsigned_integer() const {
  return checked([&] { return of(json_).get<std::uint64_t>(); });
}

std::string JsonValue::text() const {
  return checked([&] { return of(json_).get<std::string>(); });
}

bool JsonValue::equals(std::string_view text) const { return of(json_) == text; }

bool JsonValue::equals(int number) const { return of(json_) == number; }

}  // namespace gpuimg
