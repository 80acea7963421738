// Lists OpenCL devices and checks that they have what the kernels need. The interface is include/gpuimg/opencl.hpp.
#include "device/device.hpp"

#include <algorithm>
#include <utility>

namespace gpuimg {
namespace opencl {
namespace {

constexpr cl_int kNoPlatform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR, which the loader itself returns
constexpr std::size_t kMinGroupItems = 64;
constexpr std::size_t kMinLocalBytes = std::size_t{32} << 10;  // what OpenCL 1.2 promises, and equalize.cl needs

[[noreturn]] void refuse_without_platform() {
  throw Error(ErrorKind::backend_unavailable,
              "no OpenCL device: the loader finds no platform; install a driver (Debian: pocl-opencl-icd runs on the "
              "CPU), or, if NVIDIA's is installed, write libnvidia-opencl.so.1 to /etc/OpenCL/vendors/nvidia.icd");
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

/// What the kernels need and the device lacks. An embedded profile has no 64-bit integers.
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
  device.facts.lacks = lacks(api, device);
  return device;
}

std::vector<cl_platform_id> platforms_of(const Api& api) {
  cl_uint count = 0;
  const cl_int code = api.GetPlatformIDs(0, nullptr, &count);
  if (code == kNoPlatform || (code == CL_SUCCESS && count == 0)) {
    refuse_without_platform();
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
