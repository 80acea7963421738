// Output to a stream cannot be undone, so streams are written once everything else is complete.
#include "engine/item_outputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/messages.hpp"
#include "codecs/codec.hpp"
#include "codecs/file_header.hpp"
#include "gpuimg/error.hpp"
#include "io/output_file.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code failed;  // set if one of them does not exist
  return std::filesystem::equivalent(a, b, failed);
}

std::string fate_of_links(std::uint64_t others) {
  return others == 1 ? "a hard link to it keeps the old content"
                     : fmt::format("{} hard links to it keep the old content", others);
}

}  // namespace

void check_text_output(const std::string& output, const std::vector<std::string>& inputs) {
  if (is_stream(output)) {
    return;
  }
  for (const std::string& input : inputs) {
    if (input != "-" && is_same_file(output, input)) {
      fail_writing(output, "it is an input, and text must not replace it; use another name");
    }
  }
  if (const std::string kind = codecs::binary_format_of(output); !kind.empty()) {
    fail_writing(output, fmt::format("it holds {}, and text must not replace it; use another name", kind));
  }
  const std::string extension = file_extension(output);
  if (codecs::is_image_extension(extension)) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: the result is text, and .{} is the extension of an image; change the "
                            "extension",
                            printable_name(output), extension));
  }
}

void ItemOutputs::begin(const OverwriteRules& rules, bool keeps_all) {
  rules_ = rules;
  keeps_all_ = keeps_all;
  has_replaced_ = false;
  times_of_input_.reset();
  in_place_.clear();
  fifos_.clear();
  kept_.clear();
  staged_.clear();
}

void ItemOutputs::check(const std::string& output, const std::string& input, bool binary) {
  if (is_standard_output(output)) {
    if (binary && captured_streams() != nullptr) {
      throw Error(ErrorKind::usage, "standard output carries the answers to the command lines; name a file as OUT");
    }
    if (binary && terminal_at(STDOUT_FILENO).is_terminal) {
      throw Error(ErrorKind::usage, "standard output is a terminal; name a file, or redirect with > or |");
    }
    return;
  }
  // If the output is the input, check_output() reports this.
  if (!binary && (rules_.in_place || !is_same_file(output, input))) {
    check_text_output(output, {input});
    check_text_output(output, inputs_);
  }
  if (check_output(output, input, {rules_.force, rules_.in_place && binary})) {
    in_place_.push_back(output);
  }
  if (is_fifo(output)) {
    fifos_.try_emplace(output, output);
  }
}

namespace {

/// Wraps a function that always produces its whole output.
std::function<bool(const FileParts&)> always(const std::function<void(const FileParts&)>& produce) {
  return [&produce](const FileParts& to) {
    produce(to);
    return true;
  };
}

}  // namespace

void ItemOutputs::stage(const std::string& output, std::optional<Phase> phase,
                        const std::function<void(const FileParts&)>& produce, LentBytes lent) {
  (void)try_stage(output, phase, always(produce), std::move(lent), rules_);
}

bool ItemOutputs::try_stage(const std::string& output, Phase phase,
                            const std::function<bool(const FileParts&)>& produce) {
  return try_stage(output, phase, produce, {}, rules_);
}

bool ItemOutputs::try_stage(const std::string& output, std::optional<Phase> phase,
                            const std::function<bool(const FileParts&)>& produce, LentBytes lent,
                            const OverwriteRules& rules) {
  const auto produced = [&](const FileParts& to) {
    return phase ? times_.measure(*phase, [&] { return produce(to); }) : produce(to);
  };
  if (is_kept(output)) {  // the reader of a stream could not detect a partial output
    const auto content = std::make_shared<FileContent>(std::move(lent));
    if (!produced(content->parts())) {
      return false;
    }
    kept_.push_back({output, content});
    return true;
  }
  StagedOutput file = times_.measure(Phase::write, [&] { return StagedOutput(output, rules); });
  std::uint64_t end = 0;  // of the parts with an offset
  const FileParts parts{
      [&](std::span<const std::byte> part) { times_.measure(Phase::write, [&] { file.write(part); }); },
      [&](std::uint64_t offset, std::span<const std::byte> part) {
        times_.measure(Phase::write, [&] { file.write_at(offset, part); });
        end = std::max<std::uint64_t>(end, offset + part.size());
      }};
  if (!produced(parts)) {
    return false;
  }
  times_.measure(Phase::write, [&] { file.finish(); });
  const int failure = times_of_input_ ? file.set_times(*times_of_input_) : 0;
  const std::uint64_t size = std::max<std::uint64_t>(end, file.size());
  staged_.push_back({std::move(file), output, size, failure});
  return true;
}

void ItemOutputs::stage(const std::string& output, LentBytes content) {
  const std::span<const std::byte> bytes = content.bytes;
  stage(
      output, Phase::write, [bytes](const FileParts& to) { to.append(bytes); }, std::move(content));
}

void ItemOutputs::stage_text(const std::string& output, LentBytes content) {
  if (!is_kept(output)) {
    check_text_output(output, inputs_);
  }
  const std::function<void(const FileParts&)> write = [bytes = content.bytes](const FileParts& to) {
    to.append(bytes);
  };
  (void)try_stage(output, Phase::write, always(write), std::move(content), {rules_.force, is_in_place(output)});
}

void ItemOutputs::write_stream(const Kept& stream) {
  times_.measure(Phase::write, [&] {
    if (!is_standard_output(stream.name) && is_fifo(stream.name)) {  // the fifo of a merged output is not open yet
      fifos_.try_emplace(stream.name, stream.name);
    }
    const auto fifo = fifos_.find(stream.name);
    stream.content->for_each_part([&](std::span<const std::byte> part) {
      if (fifo != fifos_.end()) {
        fifo->second.write(part);
      } else {
        write_output(stream.name, part, rules_);
      }
    });
  });
}

std::vector<std::string> ItemOutputs::files() const {
  std::vector<std::string> names;
  for (const Staged& output : staged_) {
    names.push_back(output.name);
  }
  return names;
}

bool ItemOutputs::replaces_another(const Staged& output) const {
  return output.file.replaces() && !is_in_place(output.name);
}

bool ItemOutputs::is_in_place(const std::string& output) const {
  return std::find(in_place_.begin(), in_place_.end(), output) != in_place_.end();
}

std::size_t ItemOutputs::announce(Verbosity of_replaced) {
  std::size_t lines = 0;
  for (Staged& output : staged_) {
    output.news.clear();
    if (replaces_another(output)) {
      output.news.push_back({of_replaced, "replaced " + printable_name(output.name)});
    }
    if (output.times_failure != 0) {
      output.news.push_back(
          {Verbosity::normal, fmt::format("{}: its times cannot be set: {}", printable_name(output.name),
                                          std::generic_category().message(output.times_failure))});
    }
    if (const std::uint64_t others = output.file.other_names(); others > 0) {
      output.news.push_back({Verbosity::normal, printable_name(output.name) + ": " + fate_of_links(others)});
    }
    output.news.push_back(
        {Verbosity::verbose,
         fmt::format("wrote {}: {} bytes in {:.1f} ms", printable_name(output.name), output.size, times_.total_ms())});
    lines += output.news.size();
  }
  return lines;
}

void ItemOutputs::commit(const std::function<void(Message message)>& tell) {
  for (const Kept& stream : take_kept()) {
    write_stream(stream);
  }
  fifos_.clear();
  // Running out of memory from here on must not turn a committed file into a failure.
  for (Staged& output : staged_) {
    times_.measure(Phase::write, [&] { output.file.commit(); });
    has_replaced_ = has_replaced_ || replaces_another(output);
    for (Message& message : output.news) {
      tell(std::move(message));
    }
  }
}

}  // namespace gpuimg
