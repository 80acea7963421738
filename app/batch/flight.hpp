// An item on its way through the pipeline, and how what is thrown on the way becomes its failure.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "batch/manifest.hpp"
#include "batch/work_plan.hpp"
#include "files/printable_name.hpp"
#include "image_job.hpp"

namespace gpuimg {

/// Small: many that have ended may wait for one before them.
struct Flight {
  const PlanItem* item = nullptr;
  ItemRecord record;
  std::uint64_t pixels = 0;
  std::uint64_t memory = 0;
  bool is_decided = false;  ///< skipped or failed before any work
  InOrder in_order;
  std::vector<Message> messages;
};
using FlightPointer = std::shared_ptr<Flight>;

inline void fail(Flight& flight, std::string_view kind, const std::string& message) {
  const std::string name = printable_name(flight.item->input);
  flight.record.status = ItemStatus::failed;
  flight.record.error_kind = kind;
  flight.record.message = message.starts_with(name) ? message : name + ": " + message;
  flight.in_order = nullptr;
}

inline void skip(Flight& flight, const std::string& reason) {
  flight.record.status = ItemStatus::skipped;
  flight.record.error_kind.clear();
  flight.record.message = reason;
  flight.in_order = nullptr;
}

/// Calls work(); what it throws becomes the flight's failure.
template <class Work>
void guard(Flight& flight, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    fail(flight, name_of(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    fail(flight, name_of(ErrorKind::out_of_memory), "out of memory; use fewer --jobs, or a machine with more memory");
  } catch (const std::exception& failure) {
    fail(flight, "internal", std::string("internal error: ") + failure.what() + "; please report it with the input");
  }
}

inline bool is_kind(const Flight& flight, ErrorKind kind) { return flight.record.error_kind == name_of(kind); }

}  // namespace gpuimg
