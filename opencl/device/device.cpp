// Implements device.hpp: the loader and its errors; the devices, and whether they have what the kernels need; and
// context, queue, launches and buffers of one device. Freed buffers are kept for the next request of their size,
// because allocating a new buffer takes longer than many operations.
#include "device/device.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "gpuimg/error.hpp"

namespace gpuimg {
namespace opencl {

namespace {

std::string text_of(cl_int code) {
  constexpr std::array<std::pair<cl_int, const char*>, 10> kTexts = {{
      {CL_DEVICE_NOT_FOUND, "device not found"},
      {CL_DEVICE_NOT_AVAILABLE, "device not available"},
      {CL_COMPILER_NOT_AVAILABLE, "compiler not available"},
      {CL_MEM_OBJECT_ALLOCATION_FAILURE, "out of device memory"},
      {CL_OUT_OF_RESOURCES, "out of resources, or the device is lost"},
      {CL_OUT_OF_HOST_MEMORY, "out of host memory"},
      {CL_BUILD_PROGRAM_FAILURE, "the program does not compile"},
      {CL_INVALID_BUFFER_SIZE, "buffer too large"},
      {CL_INVALID_WORK_GROUP_SIZE, "work-group too large"},
      {CL_INVALID_COMMAND_QUEUE, "invalid command queue"},
  }};
  const auto* found =
      std::find_if(kTexts.begin(), kTexts.end(), [code](const auto& each) { return each.first == code; });
  return (found != kTexts.end() ? std::string(found->second) + ", " : "") + "error " + std::to_string(code);
}

ErrorKind kind_of(cl_int code) {
  switch (code) {
    case CL_DEVICE_NOT_FOUND:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_COMPILER_NOT_AVAILABLE: return ErrorKind::backend_unavailable;
    default: return is_out_of_memory(code) ? ErrorKind::out_of_memory : ErrorKind::device_fault;
  }
}

const char* advice(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::out_of_memory: return "use a smaller image, or --backend cpu";
    case ErrorKind::backend_unavailable: return "see 'gpuimg doctor', or use --backend cpu";
    default: return "this run can no longer use the device; try again, or use --backend cpu";
  }
}

}  // namespace

Api open_api(const std::string& library) {
  const std::string name = library.empty() ? "libOpenCL.so.1" : library;
  void* loader = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (loader == nullptr) {
    throw Error(ErrorKind::backend_unavailable,
                "no OpenCL device: the loader " + name +
                    " cannot be opened; install it (Debian: ocl-icd-libopencl1) and a driver, or use --backend cpu");
  }
  Api api;
  const auto find = [&](const char* function) {
    void* address = ::dlsym(loader, function);
    if (address == nullptr) {
      throw Error(ErrorKind::backend_unavailable, "no OpenCL device: the loader " + name +
                                                      " is older than OpenCL 1.2 (" + function +
                                                      " is missing); update it, or use --backend cpu");
    }
    return address;
  };
#define GPUIMG_OPENCL_FIND(name) api.name = reinterpret_cast<decltype(&cl##name)>(find("cl" #name))
  GPUIMG_OPENCL_FUNCTIONS(GPUIMG_OPENCL_FIND);
#undef GPUIMG_OPENCL_FIND
  return api;
}

bool is_out_of_memory(cl_int code) { return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY; }

void cl_check(cl_int code, const char* doing) {
  if (code != CL_SUCCESS) {
    const ErrorKind kind = kind_of(code);
    throw Error(kind, std::string("OpenCL: while ") + doing + ": " + text_of(code) + "; " + advice(kind));
  }
}

namespace {

constexpr cl_int kNoPlatform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR, which the loader itself returns
constexpr std::size_t kMinGroupItems = 64;
constexpr std::size_t kMinLocalBytes = std::size_t{32} << 10;  // guaranteed by OpenCL 1.2, needed by equalize.cl

[[noreturn]] void reject_without_platform() {
  throw Error(ErrorKind::backend_unavailable,
              "no OpenCL device: the loader finds no platform; install a driver (Debian: pocl-opencl-icd runs on the "
              "CPU), or, if NVIDIA's driver is installed, create /etc/OpenCL/vendors/nvidia.icd with the line "
              "libnvidia-opencl.so.1");
}

template <class Ask>
std::string text_from(const Ask& ask) {
  std::size_t bytes = 0;
  cl_check(ask(0, nullptr, &bytes), "querying a device");
  std::string text(bytes, '\0');
  cl_check(ask(bytes, text.data(), nullptr), "querying a device");
  text.resize(std::min(text.find('\0'), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string platform_text(const Api& api, cl_platform_id platform, cl_platform_info what) {
  return text_from([&](std::size_t bytes, void* to, std::size_t* needed) {
    return api.GetPlatformInfo(platform, what, bytes, to, needed);
  });
}

std::string device_text(const Api& api, cl_device_id device, cl_device_info what) {
  return text_from([&](std::size_t bytes, void* to, std::size_t* needed) {
    return api.GetDeviceInfo(device, what, bytes, to, needed);
  });
}

template <class T>
T device_value(const Api& api, cl_device_id device, cl_device_info what) {
  T value{};
  cl_check(api.GetDeviceInfo(device, what, sizeof value, &value, nullptr), "querying a device");
  return value;
}

/// Names a feature that the kernels need and the device lacks; empty if it lacks none. Devices with an embedded profile
/// may have no 64-bit integers.
std::string lacks(const Api& api, const FoundDevice& device) {
  constexpr cl_device_fp_config kNeeded = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN;
  const auto flag = [&](cl_device_info what) { return device_value<cl_bool>(api, device.id, what) != CL_FALSE; };
  if (!flag(CL_DEVICE_AVAILABLE)) {
    return "it is not available";
  }
  if (!flag(CL_DEVICE_COMPILER_AVAILABLE)) {
    return "it has no compiler";
  }
  if (!flag(CL_DEVICE_ENDIAN_LITTLE)) {
    return "it is not little-endian";
  }
  if (device_text(api, device.id, CL_DEVICE_PROFILE) != "FULL_PROFILE") {
    return "it has no 64-bit integers (an embedded profile)";
  }
  if (device.facts.version.compare(0, 10, "OpenCL 1.2") < 0) {
    return "it is older than OpenCL 1.2 (" + device.facts.version + ")";
  }
  if (device.facts.local_bytes < kMinLocalBytes || device.max_group_items < kMinGroupItems) {
    return "its local memory or its work-groups are too small";
  }
  if ((device_value<cl_device_fp_config>(api, device.id, CL_DEVICE_SINGLE_FP_CONFIG) & kNeeded) != kNeeded) {
    return "its 32-bit floats do not round to nearest";
  }
  return {};
}

/// True if the device offers float64 with denormals, infinities and NaN, rounded to nearest. OpenCL does not require
/// float64.
bool has_float64(const Api& api, cl_device_id device) {
  constexpr cl_device_fp_config kNeeded = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM;
  cl_device_fp_config config = 0;
  const cl_int code = api.GetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, nullptr);
  return code == CL_SUCCESS && (config & kNeeded) == kNeeded;
}

FoundDevice found_device(const Api& api, cl_platform_id platform, cl_device_id id, int index) {
  FoundDevice device{.platform = platform, .id = id, .facts = {}};
  device.facts.index = index;
  device.facts.name = device_text(api, id, CL_DEVICE_NAME);
  device.facts.platform = platform_text(api, platform, CL_PLATFORM_NAME);
  device.facts.version = device_text(api, id, CL_DEVICE_VERSION);
  device.facts.driver = device_text(api, id, CL_DRIVER_VERSION);
  device.facts.compute_units = static_cast<int>(device_value<cl_uint>(api, id, CL_DEVICE_MAX_COMPUTE_UNITS));
  device.facts.total_bytes = device_value<cl_ulong>(api, id, CL_DEVICE_GLOBAL_MEM_SIZE);
  device.facts.largest_allocation = device_value<cl_ulong>(api, id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  device.facts.local_bytes = device_value<cl_ulong>(api, id, CL_DEVICE_LOCAL_MEM_SIZE);
  device.max_group_items = device_value<std::size_t>(api, id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  device.is_cpu = (device_value<cl_device_type>(api, id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
  device.divides_exactly = (device_value<cl_device_fp_config>(api, id, CL_DEVICE_SINGLE_FP_CONFIG) &
                            CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  device.has_float64 = has_float64(api, id);
  device.facts.lacks = lacks(api, device);
  return device;
}

std::vector<cl_platform_id> platforms_of(const Api& api) {
  cl_uint count = 0;
  const cl_int code = api.GetPlatformIDs(0, nullptr, &count);
  if (code == kNoPlatform || (code == CL_SUCCESS && count == 0)) {
    reject_without_platform();
  }
  cl_check(code, "counting platforms");
  std::vector<cl_platform_id> platforms(count);
  cl_check(api.GetPlatformIDs(count, platforms.data(), nullptr), "listing platforms");
  return platforms;
}

}  // namespace

std::vector<FoundDevice> find_devices(const Api& api) {
  std::vector<FoundDevice> devices;
  for (cl_platform_id platform : platforms_of(api)) {
    cl_uint count = 0;
    const cl_int code = api.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0)) {
      continue;
    }
    cl_check(code, "counting devices");
    std::vector<cl_device_id> ids(count);
    cl_check(api.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr), "listing devices");
    for (cl_device_id id : ids) {
      devices.push_back(found_device(api, platform, id, static_cast<int>(devices.size())));
    }
  }
  if (devices.empty()) {
    throw Error(ErrorKind::backend_unavailable,
                "no OpenCL device: no platform has one; check that its driver is loaded and that /dev/dri or "
                "/dev/nvidia* may be opened, or use --backend cpu");
  }
  return devices;
}

FoundDevice usable_device(const Api& api, int index) {
  std::vector<FoundDevice> devices = find_devices(api);
  if (index < 0 || index >= static_cast<int>(devices.size())) {
    throw Error(ErrorKind::backend_unavailable,
                "OpenCL: there is no device " + std::to_string(index) + "; " +
                    (devices.size() == 1 ? "the only one is device 0"
                                         : "choose one from 0 to " + std::to_string(devices.size() - 1)));
  }
  FoundDevice& device = devices[static_cast<std::size_t>(index)];
  if (!device.facts.lacks.empty()) {
    throw Error(ErrorKind::backend_unavailable, "OpenCL: device " + std::to_string(index) + ", " + device.facts.name +
                                                    ", cannot be used: " + device.facts.lacks +
                                                    "; use another device, or --backend cpu");
  }
  return std::move(device);
}

namespace {

constexpr std::size_t kMaxGroupItems = 256;
constexpr std::size_t kGroupsPerUnit = 16;

FoundDevice changed(FoundDevice device, const TestOptions& test) {
  device.facts.local_bytes = std::min(device.facts.local_bytes, test.max_local_bytes);
  device.facts.largest_allocation = std::min(device.facts.largest_allocation, test.max_allocation);
  device.has_float64 = device.has_float64 && !test.lacks_float64;
  // On GPUs, correctly rounded division is a long routine; correcting a reciprocal is faster (kernels/arithmetic.cl).
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
      macros += choice.is_macro ? std::string(" -D ") + choice.name + "=" + std::to_string(choice.value) : "";
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

/// Frees all idle buffers. Returns true if there were any.
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
  // OpenCL does not tell how much memory other programs use. The driver itself also takes some.
  const std::size_t usable = found_.facts.total_bytes / 8 * 7;
  const std::size_t used = used_bytes_ - idle_bytes_;
  return std::min(usable - std::min(usable, used), 2 * found_.facts.largest_allocation);
}

}  // namespace opencl

bool is_opencl_built_in() { return true; }

std::vector<OpenclDevice> opencl_devices() {
  std::vector<OpenclDevice> devices;
  for (opencl::FoundDevice& found : opencl::find_devices(opencl::open_api({}))) {
    devices.push_back(std::move(found.facts));
  }
  return devices;
}

void check_opencl_device(int device) { (void)opencl::usable_device(opencl::open_api({}), device); }

}  // namespace gpuimg
