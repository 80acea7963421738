// Implements the steps between file and backend.
#include "engine/command_context.hpp"

#include <fmt/format.h>

#include <optional>

#include "cli/messages.hpp"
#include "codecs/metadata/icc.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
void CommandContext::begin_item(bool replaces, codecs::PageRef page) {
  page_ = page.number > 0 ? page : codecs::PageRef{options_.page};
  outputs_.begin({options_.force || replaces, options_.in_place});
  in_bands_ = false;
  rows_content_.reset();
  messages_.clear();
  times_ = PhaseTimes();
  backend_name_.clear();
  sides_ = {};
  result_.clear();
  members_.clear();
  device_.reset();
  share_.release();
}

void CommandContext::begin_member(const std::string& name, Bytes content) {
  begin_item();
  outputs_.begin({options_.force, options_.in_place}, true);
  members_.emplace(name, std::move(content));
}

void CommandContext::tell(Verbosity least, std::string text) {
  if (role_ == Role::worker) {
    if (options_.verbosity >= least) {
      messages_.push_back({least, std::move(text)});
    }
  } else if (least == Verbosity::normal) {
    print_note(options_.verbosity, text);
  } else {
    print_detail(options_.verbosity, text);
  }
}

void CommandContext::note_luma_of(const codecs::DecodedImage& decoded, const std::string& path) {
  const std::string space = decoded.format().color_channels() == 3 ? foreign_color_space(decoded.metadata) : "";
  if (!space.empty()) {
    detail(fmt::format("{}: luma is computed from its values as they are, though they are not sRGB: {}",
                       input_name(path), space));
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

Picture CommandContext::uploaded(Backend& backend, const AttemptInput& input) {
  if (backend.memory_is_host()) {
    if (std::optional<Image> image = input.take_image()) {
      return times_.measure(Phase::upload, [&] { return backend.upload(std::move(*image)); });
    }
  }
  return upload(backend, input->image.view());
}

Picture CommandContext::upload(Backend& backend, ConstView pixels) {
  return times_.measure(Phase::upload, [&] {
    Picture picture = backend.upload(pixels);
    backend.wait();
    return picture;
  });
}

Image CommandContext::download(Backend& backend, Picture&& picture) {
  return times_.measure(Phase::download, [&] { return backend.download(std::move(picture)); });
}

Image CommandContext::download(Backend& backend, const Picture& picture) {
  return times_.measure(Phase::download, [&] { return backend.download(picture); });
}

Image CommandContext::pixels_of(OperationInput input) {
  return verified(std::move(input), [&](Backend& backend, const AttemptInput& pixels) {
    return pixels->picture ? download(backend, *pixels->picture) : download(backend, uploaded(backend, pixels));
  });
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

void CommandContext::finish() {
  // In a batch, the summary line has the number of replaced files.
  const Verbosity of_replaced = role_ == Role::worker ? Verbosity::verbose : Verbosity::normal;
  messages_.reserve(messages_.size() + outputs_.announce(of_replaced));
  outputs_.commit([&](Message message) { tell(message.least, std::move(message.text)); });
}

void CommandContext::print_times() const {
  if (options_.timing) {
    print_report(options_.json ? times_.json(sides_) : times_.table(sides_));
  }
}

}  // namespace gpuimg
