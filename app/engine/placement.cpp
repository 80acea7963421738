// Where an operation computes: on the whole image, on strips of it, on bands of rows that stay in their file, or on the
// CPU because the device has too little memory. docs/batch.md, "Memory"; docs/decisions/0022-bands-of-rows.md.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codecs/image_writer.hpp"
#include "engine/command_context.hpp"
#include "engine/memory.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {

bool CommandContext::try_take_memory_for(const EncodedImage& encoded, Backend& on) {
  const EncodedJpeg& jpeg = frame_of(encoded);
  const std::size_t needed =
      device_bytes(jpeg.width, jpeg.height, {Sample::u8, jpeg.component_count}, 0) + device_decoding_bytes(jpeg);
  MemoryBudget& memory = device_memory(on);
  if (share_.is_held() || needed > memory.bytes()) {
    return false;
  }
  share_ = MemoryShare(memory, needed);
  return true;
}

void CommandContext::keep_memory_for(const std::optional<Picture>& decoded) {
  if (decoded) {
    share_.shrink_to(device_bytes(decoded->width(), decoded->height(), decoded->format(), 0));
  } else {
    share_.release();
  }
}

void CommandContext::computed(Backend& on, OperationInput input, const Compute& compute) {
  MemoryShare share = std::move(share_);  // of a picture that is there already
  if (input.rows) {
    try {
      return in_bands(on, [&](Backend& backend, const StripMemory& memory) {
        StripedBackend bands(backend, memory, &times_);
        compute(bands, AttemptInput(std::as_const(input)));
      });
    } catch (const VoidStrips&) {
      input = read_whole(std::move(input));
    }
  }
  if (on.memory_is_host()) {
    return compute(on, AttemptInput(std::move(input)));
  }
  std::size_t room = device_memory_limit(on, input, share);
  if (room == 0) {
    try {
      return compute(on, AttemptInput(std::as_const(input)));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::out_of_memory) {
        throw;
      }
      room = room_alone(on, input, share);
    }
  }
  Backend* instead = nullptr;
  try {
    StripedBackend strips(on, room, &times_);
    return compute(strips, AttemptInput(std::as_const(input)));
  } catch (const Error& error) {
    if (!allows_cpu_after(error)) {
      throw;
    }
    instead = &cpu_for_strips();
  }
  share.release();
  compute(*instead, AttemptInput(std::move(input)));
}

std::size_t CommandContext::device_memory_limit(Backend& on, const OperationInput& input, MemoryShare& share) {
  if (on.memory_is_host() || share.is_held()) {
    return 0;
  }
  const std::size_t mask_bytes = input.mask ? input.mask->size_bytes() : 0;
  const std::size_t needed = device_bytes(input.width(), input.height(), input.format(), mask_bytes);
  MemoryBudget& memory = device_memory(on);
  times_.measure(Phase::start, [&] { share = MemoryShare(memory, needed); });
  if (needed <= memory.bytes()) {
    return 0;
  }
  if (options_.max_device_memory != 0) {
    return memory.bytes();
  }
  const std::size_t available = on.available_bytes();
  detail(fmt::format("the device has {} MB of memory left: the image is taken in strips", available >> 20));
  return std::max<std::size_t>(available / 2, 1);
}

std::size_t CommandContext::room_alone(Backend& on, OperationInput& input, MemoryShare& share) {
  bring_to_host(on, input);
  share.release();
  MemoryBudget& memory = device_memory(on);
  times_.measure(Phase::start, [&] { share = MemoryShare(memory, memory.bytes()); });
  const std::size_t available = on.available_bytes();
  note(fmt::format("the device ran out of memory and has {} MB left: the image is taken in strips", available >> 20));
  return std::max<std::size_t>(available / 2, 1);
}

bool CommandContext::allows_cpu_after(const Error& error) const {
  return error.kind() == ErrorKind::out_of_memory && options_.can_use_cpu && !options_.verify;
}

Backend& CommandContext::cpu_for_strips() {
  note("the device has no memory for strips either: the CPU takes the image");
  Backend& cpu = backends_.other();
  record(cpu);
  return cpu;
}

void CommandContext::in_bands(Backend& on,
                              const std::function<void(Backend& backend, const StripMemory& memory)>& visit) {
  try {
    MemoryShare share;
    return visit(on, band_memory(on, share));
  } catch (const Error& error) {
    if (on.memory_is_host() || !allows_cpu_after(error)) {
      throw;
    }
    Backend& cpu = cpu_for_strips();
    MemoryShare none;
    visit(cpu, band_memory(cpu, none));
  }
}

/// In host memory, bands stay in the cache of a core; on a device, they are worth a transfer. Those with halo rows are
/// read again with each band, so they are as large as may be.
StripMemory CommandContext::band_memory(Backend& on, MemoryShare& share) {
  constexpr std::size_t kInCache = std::size_t{256} << 10;
  constexpr std::size_t kTransfer = std::size_t{8} << 20;
  const std::uint64_t room = in_bands_ ? bytes_in_bands_ : memory_for_images(options_.max_memory);
  const std::size_t most = std::max<std::size_t>(kInCache, room / 2);
  if (on.memory_is_host()) {
    return {kInCache, most};
  }
  MemoryBudget& memory = device_memory(on);
  const std::size_t bytes = std::min({memory.bytes(), most, std::max(kTransfer, memory.bytes() / 4)});
  times_.measure(Phase::start, [&] { share = MemoryShare(memory, bytes); });
  return {std::min(kTransfer, bytes), bytes};
}

void CommandContext::refuse_whole(const codecs::RowReader& rows) const {
  const std::uint64_t pixels = static_cast<std::uint64_t>(rows.width()) * static_cast<std::uint64_t>(rows.height());
  const std::uint64_t bytes = pixels * rows.format().bytes_per_pixel();
  const std::optional<MostMemory> most = memory_for_one(options_.max_memory);
  if (most && bytes > most->bytes) {
    throw Error(ErrorKind::out_of_memory, rows_name() + ": is damaged or unusual, so that it is read as a whole; it " +
                                              why_too_large(bytes, *most));
  }
}

std::string CommandContext::rows_name() const { return input_name(rows_path_, page_.number); }

OperationInput CommandContext::read_whole(OperationInput input) {
  refuse_whole(*input.rows);
  input.rows.reset();
  const std::shared_ptr<const Bytes> content =
      rows_content_ ? std::exchange(rows_content_, nullptr) : std::make_shared<const Bytes>(read(rows_path_));
  codecs::DecodedImage decoded =
      times_.measure(Phase::decode, [&] { return codecs::decode_image(content->span(), rows_path_, input_options()); });
  for (const std::string& text : decoded.notes) {
    if (std::find(told_.begin(), told_.end(), text) == told_.end()) {
      note(rows_name() + ": " + text);
    }
  }
  input.image = std::move(decoded.image);
  return input;
}

bool CommandContext::process_rows(OperationInput& input, const std::string& output, const OpenWriter& open,
                                  const ImageOperation& operation) {
  if (!input.rows) {
    return false;
  }
  const auto write_bands = [&](Backend& on, const StripMemory& memory) {
    outputs_.stage(output, Phase::decode, [&](const FileParts& to) {
      const std::unique_ptr<codecs::RowWriter> writer = open(to);
      if (writer == nullptr) {
        throw VoidStrips();
      }
      StripedBackend bands(on, memory, &times_,
                           [&](ConstView rows) { times_.measure(Phase::encode, [&] { writer->write(rows); }); });
      const std::optional<Picture> mask = input.mask ? std::optional(bands.upload(input.mask->view())) : std::nullopt;
      Picture rows = picture_of(input.rows);
      (void)operation(bands, AttemptPicture(std::move(rows)), mask ? &*mask : nullptr);
      times_.measure(Phase::encode, [&] { writer->finish(); });
    });
  };
  try {
    in_bands(backend(), write_bands);
    return true;
  } catch (const VoidStrips&) {
    input = read_whole(std::move(input));
    return false;
  }
}

void CommandContext::write_result(OperationInput input, const std::string& output, const OpenWriter& open,
                                  const ImageOperation& operation) {
  if (process_rows(input, output, open, operation)) {
    return;
  }
  if (options_.verify || outputs_.is_kept(output)) {
    const auto image = std::make_shared<const Image>(process(std::move(input), operation));
    return save_rows(output, image->view(), open, {{image->view().data, image->size_bytes()}, image});
  }
  computed(backend(), std::move(input), [&](Backend& on, const AttemptInput& pixels) {
    Picture result = run(on, pixels, operation);
    const Phase phase = on.memory_is_host() ? Phase::encode : Phase::download;
    outputs_.stage(output, phase, [&](const FileParts& to) {
      const std::unique_ptr<codecs::RowWriter> writer = open(to);
      on.download_rows(std::move(result), [&](ConstView rows) { writer->write(rows); });
      writer->finish();
    });
  });
}

}  // namespace gpuimg
