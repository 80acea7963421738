// Context, queue and launches of one OpenCL device.
#include "device/device.hpp"

#include <algorithm>

#include "device/cl_check.hpp"
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

}  // namespace gpuimg::opencl
