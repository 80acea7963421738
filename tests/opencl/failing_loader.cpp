// An OpenCL loader for tests: forwards each call to libOpenCL.so.1, except that the call that the test selects fails.
// When it replaces a process's libOpenCL.so.1, it reads these environment variables:
//   GPUIMG_TEST_REAL_LOADER      the loader to forward calls to
//   GPUIMG_TEST_FAIL             a function and the code that it returns: clGetDeviceIDs:-1
//   GPUIMG_TEST_LOCAL_BYTES      the local memory that every device reports
//   GPUIMG_TEST_BUFFER_BYTES     the largest buffer that every device reports
//   GPUIMG_TEST_OTHER_PLATFORM   if set, the name of every platform begins with another letter
//   GPUIMG_TEST_WRONG_RESULTS    if set, each buffer that is read back has a wrong byte
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <tuple>
#include <type_traits>

namespace {

std::atomic<long> calls{0};
std::atomic<long> fail_at{0};  ///< number of the call that fails, from 1; 0 = none
std::atomic<cl_int> fail_with{CL_SUCCESS};

const char* environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

template <class Function>
Function real(const char* name) {
  static void* loader =
      ::dlopen(environment("GPUIMG_TEST_REAL_LOADER", "libOpenCL.so.1"), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  return reinterpret_cast<Function>(::dlsym(loader, name));
}

/// The code that GPUIMG_TEST_FAIL sets for this function; CL_SUCCESS if its calls are forwarded.
cl_int planted(const char* name) {
  static const std::string plan = environment("GPUIMG_TEST_FAIL", "");
  const std::size_t length = std::string(name).size();
  return plan.compare(0, length + 1, std::string(name) + ":") == 0 ? std::atoi(plan.c_str() + length + 1) : CL_SUCCESS;
}

/// Changes the output of a call as the environment variables say.
template <class Given>
void distort(const char* name, const Given& given) {
  if constexpr (std::tuple_size_v<Given> == 5) {
    if constexpr (std::is_same_v<std::tuple_element_t<0, Given>, cl_device_id>) {
      const cl_device_info what = std::get<1>(given);
      const char* bytes = what == CL_DEVICE_LOCAL_MEM_SIZE       ? std::getenv("GPUIMG_TEST_LOCAL_BYTES")
                          : what == CL_DEVICE_MAX_MEM_ALLOC_SIZE ? std::getenv("GPUIMG_TEST_BUFFER_BYTES")
                                                                 : nullptr;
      if (bytes != nullptr) {
        *static_cast<cl_ulong*>(std::get<3>(given)) = std::strtoull(bytes, nullptr, 10);
      }
    } else if constexpr (std::is_same_v<std::tuple_element_t<0, Given>, cl_platform_id> &&
                         std::is_same_v<std::tuple_element_t<3, Given>, void*>) {
      char* const text = static_cast<char*>(std::get<3>(given));
      if (std::get<1>(given) == CL_PLATFORM_NAME && text != nullptr && std::getenv("GPUIMG_TEST_OTHER_PLATFORM")) {
        ++*text;
      }
    }
  }
  if constexpr (std::tuple_size_v<Given> == 9) {
    if (std::string(name) == "clEnqueueReadBuffer" && std::getenv("GPUIMG_TEST_WRONG_RESULTS") != nullptr) {
      if constexpr (std::is_same_v<std::tuple_element_t<5, Given>, void*>) {
        *static_cast<unsigned char*>(std::get<5>(given)) ^= 1U;
      }
    }
  }
}

/// Forwards a call, or fails it. Calls that create an object return its handle, and the code through the last argument.
template <class Result, class... Arguments, class... Given>
Result passed_on(Result (*)(Arguments...), const char* name, Given... given) {
  const cl_int failure = ++calls == fail_at ? fail_with.load() : planted(name);
  if (failure != CL_SUCCESS) {
    if constexpr (std::is_same_v<Result, cl_int>) {
      return failure;
    } else {
      cl_int* code = std::get<sizeof...(Given) - 1>(std::tuple(given...));
      *code = failure;
      return nullptr;
    }
  }
  const Result result = real<Result (*)(Arguments...)>(name)(given...);
  distort(name, std::tuple(given...));
  return result;
}

}  // namespace

extern "C" {

/// Makes call number `at` fail with code `with`, counted from now; 0 = none. Returns the number of calls since the last
/// use of this function.
long gpuimg_test_fail_at(long at, cl_int with) {
  fail_with = with;
  fail_at = at;
  return calls.exchange(0);
}
}

#define FORWARD(result, name, parameters, ...)                                       \
  extern "C" result name parameters { return passed_on(&name, #name, __VA_ARGS__); } \
  static_assert(true)

using Notify = void(CL_CALLBACK*)(cl_program, void*);
using Report = void(CL_CALLBACK*)(const char*, const void*, size_t, void*);
using Waits = const cl_event*;
using Sizes = const size_t*;

FORWARD(cl_int, clBuildProgram, (cl_program a, cl_uint b, const cl_device_id* c, const char* d, Notify e, void* f), a,
        b, c, d, e, f);
FORWARD(cl_mem, clCreateBuffer, (cl_context a, cl_mem_flags b, size_t c, void* d, cl_int* e), a, b, c, d, e);
FORWARD(cl_command_queue, clCreateCommandQueue,
        (cl_context a, cl_device_id b, cl_command_queue_properties c, cl_int* d), a, b, c, d);
FORWARD(cl_context, clCreateContext,
        (const cl_context_properties* a, cl_uint b, const cl_device_id* c, Report d, void* e, cl_int* f), a, b, c, d, e,
        f);
FORWARD(cl_kernel, clCreateKernel, (cl_program a, const char* b, cl_int* c), a, b, c);
FORWARD(cl_program, clCreateProgramWithBinary,
        (cl_context a, cl_uint b, const cl_device_id* c, Sizes d, const unsigned char** e, cl_int* f, cl_int* g), a, b,
        c, d, e, f, g);
FORWARD(cl_program, clCreateProgramWithSource, (cl_context a, cl_uint b, const char** c, Sizes d, cl_int* e), a, b, c,
        d, e);
FORWARD(cl_int, clEnqueueCopyBuffer,
        (cl_command_queue a, cl_mem b, cl_mem c, size_t d, size_t e, size_t f, cl_uint g, Waits h, cl_event* i), a, b,
        c, d, e, f, g, h, i);
FORWARD(cl_int, clEnqueueFillBuffer,
        (cl_command_queue a, cl_mem b, const void* c, size_t d, size_t e, size_t f, cl_uint g, Waits h, cl_event* i), a,
        b, c, d, e, f, g, h, i);
FORWARD(void*, clEnqueueMapBuffer,
        (cl_command_queue a, cl_mem b, cl_bool c, cl_map_flags d, size_t e, size_t f, cl_uint g, Waits h, cl_event* i,
         cl_int* j),
        a, b, c, d, e, f, g, h, i, j);
FORWARD(cl_int, clEnqueueNDRangeKernel,
        (cl_command_queue a, cl_kernel b, cl_uint c, Sizes d, Sizes e, Sizes f, cl_uint g, Waits h, cl_event* i), a, b,
        c, d, e, f, g, h, i);
FORWARD(cl_int, clEnqueueReadBuffer,
        (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e, void* f, cl_uint g, Waits h, cl_event* i), a, b,
        c, d, e, f, g, h, i);
FORWARD(cl_int, clEnqueueReadBufferRect,
        (cl_command_queue a, cl_mem b, cl_bool c, Sizes d, Sizes e, Sizes f, size_t g, size_t h, size_t i, size_t j,
         void* k, cl_uint l, Waits m, cl_event* n),
        a, b, c, d, e, f, g, h, i, j, k, l, m, n);
FORWARD(cl_int, clEnqueueUnmapMemObject, (cl_command_queue a, cl_mem b, void* c, cl_uint d, Waits e, cl_event* f), a, b,
        c, d, e, f);
FORWARD(cl_int, clEnqueueWriteBuffer,
        (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e, const void* f, cl_uint g, Waits h, cl_event* i),
        a, b, c, d, e, f, g, h, i);
FORWARD(cl_int, clEnqueueWriteBufferRect,
        (cl_command_queue a, cl_mem b, cl_bool c, Sizes d, Sizes e, Sizes f, size_t g, size_t h, size_t i, size_t j,
         const void* k, cl_uint l, Waits m, cl_event* n),
        a, b, c, d, e, f, g, h, i, j, k, l, m, n);
FORWARD(cl_int, clFinish, (cl_command_queue a), a);
FORWARD(cl_int, clGetDeviceIDs, (cl_platform_id a, cl_device_type b, cl_uint c, cl_device_id* d, cl_uint* e), a, b, c,
        d, e);
FORWARD(cl_int, clGetDeviceInfo, (cl_device_id a, cl_device_info b, size_t c, void* d, size_t* e), a, b, c, d, e);
FORWARD(cl_int, clGetPlatformIDs, (cl_uint a, cl_platform_id* b, cl_uint* c), a, b, c);
FORWARD(cl_int, clGetPlatformInfo, (cl_platform_id a, cl_platform_info b, size_t c, void* d, size_t* e), a, b, c, d, e);
FORWARD(cl_int, clGetProgramBuildInfo,
        (cl_program a, cl_device_id b, cl_program_build_info c, size_t d, void* e, size_t* f), a, b, c, d, e, f);
FORWARD(cl_int, clGetProgramInfo, (cl_program a, cl_program_info b, size_t c, void* d, size_t* e), a, b, c, d, e);
FORWARD(cl_int, clReleaseCommandQueue, (cl_command_queue a), a);
FORWARD(cl_int, clReleaseContext, (cl_context a), a);
FORWARD(cl_int, clReleaseKernel, (cl_kernel a), a);
FORWARD(cl_int, clReleaseMemObject, (cl_mem a), a);
FORWARD(cl_int, clReleaseProgram, (cl_program a), a);
FORWARD(cl_int, clSetKernelArg, (cl_kernel a, cl_uint b, size_t c, const void* d), a, b, c, d);
