// Times OpenCL work with markers in the queue, and with the host's clock over many runs.
#include "bench/opencl_timer.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "gpuimg/error.hpp"

namespace gpuimg::bench {
namespace {

using opencl::cl_check;

/// OpenCL functions that only the benchmark calls.
struct EventApi {
  decltype(&clEnqueueMarkerWithWaitList) mark = nullptr;
  decltype(&clGetEventProfilingInfo) time = nullptr;
  decltype(&clReleaseEvent) release = nullptr;
};

const EventApi& event_api() {
  static const EventApi api = [] {
    void* loader = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_NODELETE);
    if (loader == nullptr) {
      throw Error(ErrorKind::backend_unavailable, "the OpenCL loader was not found; install ocl-icd-libopencl1");
    }
    return EventApi{reinterpret_cast<decltype(EventApi::mark)>(::dlsym(loader, "clEnqueueMarkerWithWaitList")),
                    reinterpret_cast<decltype(EventApi::time)>(::dlsym(loader, "clGetEventProfilingInfo")),
                    reinterpret_cast<decltype(EventApi::release)>(::dlsym(loader, "clReleaseEvent"))};
  }();
  return api;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

cl_event marked(const opencl::Device& device) {
  cl_event event = nullptr;
  cl_check(event_api().mark(device.queue(), 0, nullptr, &event), "marking a time");
  return event;
}

/// The time in nanoseconds at which `event` completed. The event must be complete.
cl_ulong end_of(cl_event event) {
  cl_ulong time = 0;
  cl_check(event_api().time(event, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr), "reading a time");
  return time;
}

}  // namespace

OpenclTimes timed(opencl::Device& device, int repeats, const std::function<void()>& work) {
  work();  // compiles, and allocates results
  device.wait();
  std::vector<cl_event> marks = {marked(device)};
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) {
    work();
    marks.push_back(marked(device));
  }
  device.wait();
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - began;
  std::vector<double> times;
  for (std::size_t i = 1; i < marks.size(); ++i) {
    times.push_back(static_cast<double>(end_of(marks[i]) - end_of(marks[i - 1])) / 1.0e6);
  }
  for (cl_event mark : marks) {
    (void)event_api().release(mark);
  }
  return {median(times), wall.count() / repeats};
}

BenchKernel::BenchKernel(const opencl::Device& device, const char* source, const std::string& options, const char* name)
    : device_(device) {
  const opencl::Api& api = device.api();
  cl_int code = CL_SUCCESS;
  program_ = api.CreateProgramWithSource(device.context(), 1, &source, nullptr, &code);
  cl_check(code, "creating a program");
  cl_device_id id = device.found().id;
  cl_check(api.BuildProgram(program_, 1, &id, ("-cl-std=CL1.2 " + options).c_str(), nullptr, nullptr), "compiling");
  kernel_ = api.CreateKernel(program_, name, &code);
  cl_check(code, "creating a kernel");
}

BenchKernel::~BenchKernel() {
  if (kernel_ != nullptr) {
    (void)device_.api().ReleaseKernel(kernel_);
  }
  if (program_ != nullptr) {
    (void)device_.api().ReleaseProgram(program_);
  }
}

void BenchKernel::set_bytes(cl_uint index, std::size_t bytes, const void* value) {
  cl_check(device_.api().SetKernelArg(kernel_, index, bytes, value), "passing an argument");
}

void BenchKernel::enqueue(std::size_t groups) {
  const std::size_t items = groups * kGroupItems;
  const std::size_t group = kGroupItems;
  cl_check(
      device_.api().EnqueueNDRangeKernel(device_.queue(), kernel_, 1, nullptr, &items, &group, 0, nullptr, nullptr),
      "running a kernel");
}

}  // namespace gpuimg::bench
