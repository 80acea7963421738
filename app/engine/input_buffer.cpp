// Lends the buffer, and replaces it by a larger one for a larger file: page-locking takes milliseconds.
#include "engine/input_buffer.hpp"

namespace gpuimg {

ByteMemory InputBuffer::lend(Backend& backend, std::size_t bytes) {
  constexpr std::size_t kUnit = std::size_t{4} << 20;
  constexpr std::size_t kMaxBytes = std::size_t{256} << 20;
  if (bytes > kMaxBytes || memory_.use_count() > 1) {
    return nullptr;
  }
  if (memory_ == nullptr || memory_->size_bytes() < bytes) {
    const std::size_t size = (bytes + bytes / 4 + kUnit - 1) / kUnit * kUnit;  // the next file may be a little larger
    memory_.reset();
    memory_ = std::make_shared<Image>(backend.new_image(static_cast<int>(size), 1, {Sample::u8, 1}));
  }
  return {memory_->view().data, ByteDeleter(memory_)};
}

}  // namespace gpuimg
