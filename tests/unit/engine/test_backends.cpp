// The list of backends agrees with the backends themselves.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "backends/backends.hpp"

namespace gpuimg {
namespace {

TEST(Backends, ListAgreesWithEachBackend) {
  std::set<std::string> names;
  for (const BackendEntry& entry : backends()) {
    EXPECT_TRUE(names.emplace(entry.name).second) << entry.name;
    EXPECT_EQ(&backend_entry(entry.kind), &entry);
    std::unique_ptr<Backend> backend;
    try {
      backend = entry.make({.device = 0, .threads = 1});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::backend_unavailable) << error.what();
      continue;
    }
    EXPECT_EQ(backend->kind(), entry.kind);
    EXPECT_EQ(backend->name(), entry.name);
    EXPECT_EQ(backend->memory_is_host(), entry.memory_is_host);
  }
}

TEST(Backends, CpuIsAlwaysBuiltIn) { EXPECT_NE(backend_entry(BackendKind::cpu).make({}), nullptr); }

}  // namespace
}  // namespace gpuimg
