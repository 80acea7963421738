// Context, queue, launches and buffers of one OpenCL device. Freed buffers are kept for the next request of their size:
// a new one costs the driver longer than many operations.
#include "device/device.hpp"

#include <algorithm>
#include <string>

#include "device/programs.hpp"

namespace gpuimg::opencl {
namespace {

constexpr std::size_t kMaxGroupItems = 256;
constexpr std::size_t kGroupsPerUnit = 16;

FoundDevice changed(FoundDevice device, const TestOptions& test) {
  device.facts.local_bytes = std::min(device.facts.local_bytes, test.max_local_bytes);
  device.facts.largest_allocation = std::min(device.facts.largest_allocation, test.max_allocation);
  // GPUs divide correctly rounded in a long routine; correcting a reciprocal is faster (kernels/arithmetic.cl).
  device.divides_exactly = device.divides_exactly && device.is_cpu && !test.as_gpu;
  return device;
}

constexpr std::uint32_t kPoison = 0xCDCDCDCD;

std::size_t padded(std::size_t bytes) { return (bytes + 2 * kPaddingBytes - 1) / kPaddingBytes * kPaddingBytes; }

}  // namespace

Device::Device(const OpenclOptions& options, const TestOptions& test)
    : api_(open_api(test.library)),
      found_(changed(usable_device(api_, options.device), test)),
      cache_folder_(options.cache_folder),
      poison_(test.poison),
      as_gpu_(test.as_gpu) {
  for (group_items_ = kMaxGroupItems; group_items_ > found_.max_group_items; group_items_ /= 2) {
  }
  idle_.reserve(kMaxIdleBuffers + 1);
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(found_.platform), 0};
  cl_int code = CL_SUCCESS;
  context_ = api_.CreateContext(properties, 1, &found_.id, nullptr, nullptr, &code);
  cl_check(code, "creating a context");
  queue_ = api_.CreateCommandQueue(context_, found_.id, test.is_timed ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
  if (code != CL_SUCCESS) {
    release_handles();
    cl_check(code, "creating a command queue");
  }
}

Device::~Device() { release_handles(); }

void Device::release_handles() noexcept {
  if (queue_ != nullptr) {
    (void)api_.Finish(queue_);
  }
  for (const IdleBuffer& idle : idle_) {
    (void)api_.ReleaseMemObject(idle.buffer);
  }
  for (const auto& [key, program] : programs_) {
    for (const auto& [name, kernel] : program.kernels) {
      (void)api_.ReleaseKernel(kernel);
    }
    (void)api_.ReleaseProgram(program.handle);
  }
  if (queue_ != nullptr) {
    (void)api_.ReleaseCommandQueue(queue_);
  }
  (void)api_.ReleaseContext(context_);
}

std::size_t Device::busy_groups() const { return units() * (suits_cpu() ? 2 : kGroupsPerUnit); }

int Device::group_pixels(std::size_t pixel_bytes) const {
  constexpr std::size_t kWideBytes = 16;
  std::size_t pixels = 4;
  while (!suits_cpu() && pixels * pixel_bytes % kWideBytes != 0) {
    pixels *= 2;
  }
  return static_cast<int>(pixels);
}

std::string Device::macros_of(const ProgramRequest& program) const {
  std::string macros = program.macros;
  if (!suits_cpu()) {
    macros += " -D SPECIALIZED";
    for (const Choice& choice : program.choices) {
      macros += std::string(" -D ") + choice.name + "=" + std::to_string(choice.value);
    }
  }
  return macros;
}

cl_int8 Device::values_of(const std::vector<Choice>& choices) {
  cl_int8 values = {};
  for (std::size_t i = 0; i < choices.size(); ++i) {
    values.s[i] = choices[i].value;
  }
  return values;
}

cl_kernel Device::kernel_of(const ProgramRequest& request, const char* name) {
  const std::pair<std::string, std::string> key(request.file, macros_of(request));
  auto program = programs_.find(key);
  if (program == programs_.end()) {
    const ProgramMaker maker{api_, context_, found_, group_items_, cache_folder_};
    program = programs_.emplace(key, Program{maker.make(request.file, key.second), {}}).first;
  }
  auto& kernels = program->second.kernels;
  auto kernel = kernels.find(name);
  if (kernel == kernels.end()) {
    cl_int code = CL_SUCCESS;
    cl_kernel handle = api_.CreateKernel(program->second.handle, name, &code);
    cl_check(code, "creating a kernel");
    kernel = kernels.emplace(name, handle).first;
  }
  return kernel->second;
}

void Device::set_bytes(cl_kernel kernel, cl_uint index, std::size_t bytes, const void* value) const {
  cl_check(api_.SetKernelArg(kernel, index, bytes, value), "passing an argument to a kernel");
}

void Device::enqueue(cl_kernel kernel, const Grid& grid, const char* doing) const {
  cl_check(api_.EnqueueNDRangeKernel(queue_, kernel, 2, nullptr, grid.items, grid.group, 0, nullptr, nullptr), doing);
}

void Device::fill(const Memory& memory, std::uint32_t word, std::size_t bytes) const {
  cl_check(api_.EnqueueFillBuffer(queue_, memory.buffer(), &word, sizeof word, 0, bytes, 0, nullptr, nullptr),
           "clearing memory");
}

void Device::upload(const Memory& to, const void* from, std::size_t bytes, std::size_t to_byte) const {
  cl_check(api_.EnqueueWriteBuffer(queue_, to.buffer(), CL_TRUE, to_byte, bytes, from, 0, nullptr, nullptr),
           "uploading");
}

void Device::download(void* to, const Memory& from, std::size_t bytes) const {
  cl_check(api_.EnqueueReadBuffer(queue_, from.buffer(), CL_TRUE, 0, bytes, to, 0, nullptr, nullptr), "downloading");
}

void Device::wait() const { cl_check(api_.Finish(queue_), "waiting for the device"); }

Memory::Memory(std::shared_ptr<Device> device, std::size_t bytes)
    : device_(std::move(device)), buffer_(device_->allocate(bytes)), bytes_(bytes) {}

Memory::~Memory() {
  if (buffer_ != nullptr) {
    device_->release(buffer_, bytes_);
  }
}

cl_mem Device::new_buffer(std::size_t bytes) {
  cl_int code = CL_SUCCESS;
  cl_mem buffer = api_.CreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &code);
  const bool is_full = code == CL_OUT_OF_RESOURCES || code == CL_INVALID_BUFFER_SIZE;
  const std::string doing = "allocating " + std::to_string(bytes) + " bytes of device memory";
  cl_check(is_full ? CL_MEM_OBJECT_ALLOCATION_FAILURE : code, doing.c_str());
  return buffer;
}

cl_mem Device::allocate(std::size_t bytes) {
  const std::size_t size = padded(bytes);
  cl_mem buffer = idle_buffer(size);
  if (buffer == nullptr) {
    if (size > found_.facts.largest_allocation) {
      throw Error(ErrorKind::out_of_memory,
                  "OpenCL: the device's largest buffer has " + std::to_string(found_.facts.largest_allocation) +
                      " bytes, and " + std::to_string(size) + " are needed; use a smaller image, or --backend cpu");
    }
    try {
      buffer = new_buffer(size);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::out_of_memory || !free_idle()) {
        throw;
      }
      buffer = new_buffer(size);
    }
    const std::lock_guard lock(mutex_);
    used_bytes_ += size;
  }
  if (poison_) {
    const cl_int code = api_.EnqueueFillBuffer(queue_, buffer, &kPoison, sizeof kPoison, 0, size, 0, nullptr, nullptr);
    if (code != CL_SUCCESS) {
      release(buffer, bytes);
      cl_check(code, "filling new memory");
    }
  }
  return buffer;
}

cl_mem Device::idle_buffer(std::size_t size) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(idle_.begin(), idle_.end(), [size](const IdleBuffer& idle) { return idle.padded == size; });
  if (found == idle_.end()) {
    return nullptr;
  }
  cl_mem buffer = found->buffer;
  idle_bytes_ -= size;
  idle_.erase(found);
  return buffer;
}

void Device::release(cl_mem buffer, std::size_t bytes) noexcept {
  const std::size_t size = padded(bytes);
  const std::lock_guard lock(mutex_);
  idle_.push_back({buffer, size});
  idle_bytes_ += size;
  while (idle_.size() > kMaxIdleBuffers || (idle_bytes_ > found_.facts.total_bytes / 4 && !idle_.empty())) {
    (void)api_.ReleaseMemObject(idle_.front().buffer);
    idle_bytes_ -= idle_.front().padded;
    used_bytes_ -= idle_.front().padded;
    idle_.erase(idle_.begin());
  }
}

/// True if anything was freed.
bool Device::free_idle() {
  (void)api_.Finish(queue_);
  const std::lock_guard lock(mutex_);
  const bool any = !idle_.empty();
  for (const IdleBuffer& idle : idle_) {
    (void)api_.ReleaseMemObject(idle.buffer);
  }
  idle_.clear();
  used_bytes_ -= idle_bytes_;
  idle_bytes_ = 0;
  return any;
}

std::size_t Device::available_bytes() const {
  const std::lock_guard lock(mutex_);
  // OpenCL does not tell what other programs use; the driver itself takes some.
  const std::size_t usable = found_.facts.total_bytes / 8 * 7;
  const std::size_t used = used_bytes_ - idle_bytes_;
  return std::min(usable - std::min(usable, used), 2 * found_.facts.largest_allocation);
}

}  // namespace gpuimg::opencl
