// JSON text (RFC 8259). Writing adds commas, indentation and escapes; nlohmann/json does the reading.
#include "text/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

using Json = nlohmann::json;

const Json& of(const void* json) { return *static_cast<const Json*>(json); }

/// Returns the value of read(), and translates exceptions of the library into ours.
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

void JsonWriter::break_line() {
  out_ += '\n';
  out_.append(2 * open_.size(), ' ');
}

void JsonWriter::separate() {
  if (std::exchange(after_key_, false) || open_.empty()) {
    return;
  }
  Open& inner = open_.back();
  const bool first = std::exchange(inner.is_empty, false);
  if (!first) {
    out_ += ',';
  }
  if (inner.layout == Layout::block) {
    break_line();
  } else if (!first) {
    out_ += ' ';
  }
}

JsonWriter& JsonWriter::begin(char opening, char closing, Layout layout) {
  separate();
  if (!open_.empty() && open_.back().layout == Layout::line) {
    layout = Layout::line;
  }
  out_ += opening;
  open_.push_back({closing, layout});
  return *this;
}

JsonWriter& JsonWriter::end() {
  const Open inner = open_.back();
  open_.pop_back();
  if (inner.layout == Layout::block && !inner.is_empty) {
    break_line();
  }
  out_ += inner.closing;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_quoted(name);
  out_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view bytes) {
  separate();
  append_quoted(bytes);
  return *this;
}

JsonWriter& JsonWriter::name(std::string_view key_of_name, std::string_view bytes) {
  key(key_of_name).text(bytes);
  return valid_utf8(bytes) == bytes ? *this : key(std::string(key_of_name) + "_hex").text(hex_of(bytes));
}

JsonWriter& JsonWriter::integer(std::uint64_t value) { return literal(fmt::format_int(value).c_str()); }

JsonWriter& JsonWriter::real(double value) { return std::isfinite(value) ? literal(fmt::format("{}", value)) : null(); }

JsonWriter& JsonWriter::boolean(bool value) { return literal(value ? "true" : "false"); }

JsonWriter& JsonWriter::null() { return literal("null"); }

JsonWriter& JsonWriter::literal(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

std::string JsonWriter::take() {
  out_ += '\n';
  return std::exchange(out_, {});
}

void JsonWriter::append_quoted(std::string_view bytes) {
  out_ += '"';
  for (const char c : valid_utf8(bytes)) {
    switch (c) {
      case '"': out_ += "\\\""; break;
      case '\\': out_ += "\\\\"; break;
      case '\n': out_ += "\\n"; break;
      case '\t': out_ += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == '\x7F') {
          out_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out_ += c;
        }
    }
  }
  out_ += '"';
}

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

bool JsonValue::boolean() const {
  return checked([&] { return of(json_).get<bool>(); });
}

std::string JsonValue::text() const {
  return checked([&] { return of(json_).get<std::string>(); });
}

bool JsonValue::equals(std::string_view text) const { return of(json_) == text; }

bool JsonValue::equals(int number) const { return of(json_) == number; }

}  // namespace gpuimg
