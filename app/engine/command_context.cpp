// Implements the steps between file and backend.
#include "engine/command_context.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "cli/messages.hpp"
#include "cli/terminal.hpp"
#include "codecs/metadata/color_space.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// 255 where any color channel is nonzero.
template <class T>
Image mask_levels(ConstView pixels) {
  Image mask(pixels.width, pixels.height, PixelFormat{Sample::u8, 1});
  const auto channels = static_cast<std::size_t>(pixels.format.channels);
  const int colors = pixels.format.color_channels();
  const View out = mask.view();
  for (int y = 0; y < pixels.height; ++y) {
    const T* from = pixels.row<T>(y);
    auto* to = out.row<std::uint8_t>(y);
    for (std::size_t x = 0; x < static_cast<std::size_t>(pixels.width); ++x, from += channels) {
      to[x] = std::any_of(from, from + colors, [](T value) { return value != 0; }) ? 255 : 0;
    }
  }
  return mask;
}

}  // namespace

Image mask_of(ConstView pixels) {
  return pixels.format.sample == Sample::u8 ? mask_levels<std::uint8_t>(pixels) : mask_levels<std::uint16_t>(pixels);
}

void CommandContext::begin_item(bool replaces, std::uint32_t page) {
  replaces_ = replaces;
  page_ = page > 0 ? page : options_.page;
  has_replaced_ = false;
  in_bands_ = false;
  rows_content_.reset();
  in_place_.clear();
  fifos_.clear();
  streams_.clear();
  outputs_.clear();
  messages_.clear();
  times_ = PhaseTimes();
  backend_name_.clear();
  sides_ = {};
  result_.clear();
  is_member_ = false;
  members_.clear();
  device_.reset();
  share_.release();
}

void CommandContext::begin_member(const std::string& name, Bytes content) {
  begin_item();
  is_member_ = true;
  members_.emplace(name, std::move(content));
}

void CommandContext::tell(Verbosity least, std::string text) {
  if (messages_are_ == Messages::kept) {
    if (options_.verbosity >= least) {
      messages_.push_back({least, std::move(text)});
    }
  } else if (least == Verbosity::normal) {
    print_note(options_.verbosity, text);
  } else {
    print_detail(options_.verbosity, text);
  }
}

void CommandContext::check_output_file(const std::string& output, const std::string& input, bool binary) {
  if (is_standard_output(output)) {
    if (binary && terminal_at(STDOUT_FILENO).is_terminal) {
      throw Error(ErrorKind::usage, "standard output is a terminal; name a file, or redirect with > or |");
    }
    return;
  }
  if (check_output(output, input, overwrite_rules())) {
    in_place_.push_back(output);
  }
  if (is_fifo(output)) {
    fifos_.try_emplace(output, output);
  }
}

void CommandContext::note_luma_of(const codecs::DecodedImage& decoded, const std::string& path) {
  const std::string space = decoded.format().color_channels() == 3 ? foreign_color_space(decoded.metadata) : "";
  if (!space.empty()) {
    detail(fmt::format("{}: luma is computed from its values as they are, though they are not sRGB: {}",
                       path == "-" ? "standard input" : printable_name(path), space));
  }
}

void CommandContext::record(const Backend& backend) {
  backend_name_ = backend.name();
  device_ = backend.memory_is_host() ? std::nullopt : std::optional<int>(options_.device);
}

Backend& CommandContext::backend() {
  Backend& backend = times_.measure(Phase::start, [&]() -> Backend& { return backends_.get(); });
  record(backend);
  if (std::string text = backends_.take_note(); !text.empty()) {
    note(std::move(text));
  }
  detail(fmt::format("backend {} ({}): {}", backend.name(), backend.description(), backends_.reason()));
  return backend;
}

Picture CommandContext::upload(Backend& backend, Image& image) {
  return times_.measure(Phase::upload, [&] {
    if (backend.memory_is_host()) {
      return backend.upload(std::move(image));
    }
    Picture picture = backend.upload(std::as_const(image).view());
    backend.wait();
    return picture;
  });
}

Image CommandContext::download(Backend& backend, Picture picture) {
  return times_.measure(Phase::download, [&] { return backend.download(std::move(picture)); });
}

void CommandContext::bring_to_host(Backend& from, OperationInput& input) {
  if (input.picture) {
    input.image = download(from, std::move(*input.picture));
    input.picture.reset();
  }
}

void CommandContext::refuse_difference(const std::string& difference) {
  if (!difference.empty()) {
    throw Error(ErrorKind::mismatch, "verify: the backends disagree: " + difference +
                                         "; nothing was written; please report it with the input");
  }
}

void CommandContext::save_bytes(const std::string& output, std::span<const std::byte> content,
                                std::shared_ptr<const void> keeper) {
  if (is_kept(output)) {
    streams_.push_back({output, content, std::move(keeper)});
  } else {
    stage(output, Phase::write, [&](const ByteSink& sink) { sink(content); });
  }
}

void CommandContext::stage(const std::string& output, Phase phase,
                           const std::function<void(const ByteSink&)>& produce) {
  times_.measure_without(phase, Phase::write, [&](const auto& writing) {
    std::optional<StagedOutput> file;
    writing([&] { file.emplace(output, overwrite_rules()); });
    produce([&](std::span<const std::byte> part) { writing([&] { file->write(part); }); });
    writing([&] { file->finish(); });
    outputs_.push_back({std::move(*file), output});
  });
}

void CommandContext::write_stream(const std::string& name, std::span<const std::byte> content) {
  const auto fifo = fifos_.find(name);
  times_.measure(Phase::write, [&] {
    if (fifo != fifos_.end()) {
      fifo->second.write(content);
    } else {
      write_output(name, content, overwrite_rules());
    }
  });
}

bool CommandContext::replaces_another(const Output& output) const {
  return output.file.replaces() && std::find(in_place_.begin(), in_place_.end(), output.name) == in_place_.end();
}

std::vector<Message> CommandContext::news_of(const Output& output) const {
  std::vector<Message> news;
  if (replaces_another(output)) {
    // In a batch, the summary line has the number of replaced files.
    const Verbosity least = messages_are_ == Messages::kept ? Verbosity::verbose : Verbosity::normal;
    news.push_back({least, "replaced " + printable_name(output.name)});
  }
  news.push_back({Verbosity::verbose, fmt::format("wrote {}: {} bytes in {:.1f} ms", printable_name(output.name),
                                                  output.file.size(), times_.total_ms())});
  return news;
}

void CommandContext::finish() {
  std::size_t lines = messages_.size();
  for (Output& output : outputs_) {
    output.told = news_of(output);
    lines += output.told.size();
  }
  messages_.reserve(lines);
  for (const StreamContent& stream : std::exchange(streams_, {})) {
    write_stream(stream.name, stream.content);
  }
  fifos_.clear();
  // Running out of memory from here on must not turn a committed file into a failure.
  for (Output& output : outputs_) {
    times_.measure(Phase::write, [&] { output.file.commit(); });
    has_replaced_ = has_replaced_ || replaces_another(output);
    for (Message& message : output.told) {
      tell(message.least, std::move(message.text));
    }
  }
}

void CommandContext::print_times() const {
  if (options_.timing) {
    print_report(options_.json ? times_.json(sides_) : times_.table(sides_));
  }
}

}  // namespace gpuimg
