// Commas, indentation and escapes of JSON text (RFC 8259).
#include "text/json_writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "text/printable_name.hpp"

namespace gpuimg {

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

}  // namespace gpuimg
