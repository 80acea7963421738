// Parses the list of devices, compares it with the driver's, and leases workers on the devices.
#include "batch/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "gpuimg/error.hpp"

namespace gpuimg {
namespace {

constexpr int kLargestDevice = 65536;

int device_number(std::string_view text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{} || stop != end || number < 0 || number > kLargestDevice) {
    throw Error(ErrorKind::usage, fmt::format("--devices: '{}' is not a device; give 'all', or numbers from 0 to {} "
                                              "with commas between them, such as '0,1'",
                                              text, kLargestDevice));
  }
  return number;
}

}  // namespace

DeviceList parse_device_list(const std::string& text) {
  DeviceList list;
  list.all = text == "all";
  if (text.empty() || list.all) {
    return list;
  }
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const int number = device_number(std::string_view(text).substr(at, comma - at));
    if (std::find(list.numbers.begin(), list.numbers.end(), number) != list.numbers.end()) {
      throw Error(ErrorKind::usage, fmt::format("--devices: {} is named twice", number));
    }
    list.numbers.push_back(number);
    at = comma + 1;
  }
  return list;
}

std::vector<int> devices_of(const DeviceList& list, const GlobalOptions& globals, std::optional<BackendKind> backend) {
  const DeviceFacts* facts = backend ? backend_entry(*backend).device_facts : nullptr;
  if (list.all && facts != nullptr) {
    return facts->devices();
  }
  std::vector<int> chosen = list.numbers.empty() ? std::vector<int>{globals.device} : list.numbers;
  if (facts != nullptr) {
    std::for_each(chosen.begin(), chosen.end(), facts->check_device);
  }
  return chosen;
}

DeviceWork work_per_device(const DeviceList& list, const GlobalOptions& globals, int jobs,
                           std::optional<std::uint64_t> images) {
  const std::size_t devices = std::max<std::size_t>(1, list.numbers.size());
  const auto share = [devices](std::uint64_t count) { return (count + devices - 1) / devices; };
  DeviceWork work{.workers = static_cast<int>(share(static_cast<std::uint64_t>(jobs)))};
  work.is_own_process = !globals.on_end;
  if (images) {
    work.images = share(*images);
  }
  if (devices == 1 && !list.all && globals.backend != BackendKind::opencl) {
    work.only_device = list.numbers.empty() ? globals.device : list.numbers.front();
  }
  return work;
}

WorkerPool::WorkerPool(const GlobalOptions& options, const std::vector<int>& devices)
    : options_(options), shared_(shared_by_workers(options)) {
  for (const int device : devices) {
    devices_.push_back({device});
  }
}

WorkerPool::Lease WorkerPool::lease() {
  const std::lock_guard lock(mutex_);
  DeviceWorkers& of =
      *std::min_element(devices_.begin(), devices_.end(),
                        [](const DeviceWorkers& a, const DeviceWorkers& b) { return a.leased < b.leased; });
  std::unique_ptr<Worker> worker;
  if (of.free.empty()) {
    of.free.reserve(of.leased + 1);  // take_back() runs in a destructor and must not allocate
    GlobalOptions options = options_;
    options.device = of.device;
    worker = std::make_unique<Worker>(options, Worker::Role::batch, shared_);
  } else {
    // Takes the worker that was returned last: its memory is most likely still in the caches.
    worker = std::move(of.free.back());
    of.free.pop_back();
  }
  ++of.leased;
  return {*this, of, std::move(worker)};
}

void WorkerPool::clear() {
  const std::lock_guard lock(mutex_);
  for (DeviceWorkers& of : devices_) {
    of.free.clear();
  }
}

void WorkerPool::take_back(DeviceWorkers& of, std::unique_ptr<Worker> worker) {
  if (worker != nullptr) {
    worker->begin_item();
  }
  const std::lock_guard lock(mutex_);
  --of.leased;
  if (worker != nullptr) {
    of.free.push_back(std::move(worker));
  }
}

}  // namespace gpuimg
