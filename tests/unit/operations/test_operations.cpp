// The list of operations agrees with the backends, and decides where an operation can run.
#include "operations/operations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "engine/backend_choice.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_operations {
namespace {

std::unique_ptr<Backend> backend_if_there(const BackendEntry& entry) {
  try {
    return entry.make({.device = 0, .threads = 1});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::backend_unavailable) << error.what();
    return nullptr;
  }
}

TEST(Operations, ListAgreesWithEachBackend) {
  for (const BackendEntry& entry : backends()) {
    const std::unique_ptr<Backend> backend = backend_if_there(entry);
    if (backend == nullptr) {
      continue;
    }
    const PixelFormat format{Sample::u8, 3};
    const Picture picture = backend->upload(test::constant_image(3, 2, format, 9));
    for (const Operation& operation : operations()) {
      const Trial first = operation.trials(format).front();
      if (operation.is_on(entry.kind)) {
        EXPECT_NO_THROW((void)first.run(*backend, picture)) << first.name;
        EXPECT_TRUE(operation.known_answer(*backend)) << operation.name << " on " << entry.name;
      } else {
        EXPECT_THROW((void)first.run(*backend, picture), Error) << first.name;
      }
    }
  }
}

TEST(Operations, HaveUniqueNamesAndTimedTrials) {
  std::set<std::string> names;
  for (const Operation& operation : operations()) {
    EXPECT_TRUE(names.emplace(operation.name).second) << operation.name;
    EXPECT_EQ(find_operation(operation.name), &operation);
    const auto trials = operation.trials({Sample::u8, 3});
    EXPECT_TRUE(std::any_of(trials.begin(), trials.end(), [](const Trial& trial) { return trial.is_timed; }))
        << operation.name << " is not timed";
    for (const Trial& trial : trials) {
      EXPECT_TRUE((trial.name + " ").starts_with(std::string(operation.name) + " ")) << trial.name;
    }
  }
  EXPECT_EQ(find_operation("report"), nullptr);
}

TEST(Operations, EachHasACommand) {
  const auto commands = all_commands();
  for (const Operation& operation : operations()) {
    EXPECT_TRUE(std::any_of(commands.begin(), commands.end(), [&](const Command& command) {
      return command.name == operation.name;
    })) << operation.name;
  }
}

TEST(Operations, TraitsDescribeTheResult) {
  const auto backend = make_cpu_backend(1);
  for (const PixelFormat format : {PixelFormat{Sample::u8, 3}, PixelFormat{Sample::u16, 2}}) {
    const Picture picture = backend->upload(test::constant_image(5, 3, format, 9));
    ThresholdOptions bradley;
    bradley.method = ThresholdMethod::bradley;
    WindowOptions variance;
    variance.statistic = WindowStatistic::variance;
    variance.size = 3;
    DenoiseOptions denoise;
    denoise.search = 3;
    for (const PictureOperation& operation :
         std::initializer_list<PictureOperation>{ClaheOptions(), IntegralOptions(), ToHslOptions(), HslAdjustment(),
                                                 variance, bradley, ThresholdOptions(), denoise}) {
      const Picture result = backend->apply(picture, operation);
      const OperationTraits traits = traits_of(operation, {5, 3, format});
      EXPECT_EQ(traits.result, (ImageShape{result.width(), result.height(), result.format()})) << traits.what;
    }
  }
}

TEST(Operations, CostsOfStepsAddUp) {
  const OperationCost denoise = traits_of(DenoiseOptions()).cost;
  const OperationCost both = traits_of(EqualizeOptions()).cost + denoise;
  EXPECT_DOUBLE_EQ(both.thread_ms, 4.0 + denoise.thread_ms);
  EXPECT_EQ(both.useful_threads, denoise.useful_threads);
  EXPECT_DOUBLE_EQ(both.device_ms, denoise.device_ms);
}

TEST(Operations, NoResultExceedsTheMaximumDeviceBytes) {
  const auto backend = make_cpu_backend(1);
  const PixelFormat format{Sample::u16, 4};
  const Picture picture = backend->upload(test::constant_image(5, 3, format, 9));
  for (const Operation& operation : operations()) {
    std::size_t most = 0;
    for (const Trial& trial : operation.trials(format)) {
      const OperationResult result = trial.run(*backend, picture);
      if (const auto* pixels = std::get_if<Picture>(&result)) {
        most = std::max(most, 8 * pixels->format().bytes_per_pixel());
      }
    }
    EXPECT_LE(most, 8 * most_device_bytes(true)) << operation.name;
  }
}

TEST(Operations, OpenclLacksDenoising) {
  const auto has_denoising = [](BackendKind kind) {
    const std::vector<Trial> trials = trials_on(kind, {Sample::u8, 3});
    return std::any_of(trials.begin(), trials.end(),
                       [](const Trial& trial) { return trial.name.find("denoise") != std::string::npos; });
  };
  EXPECT_TRUE(has_denoising(BackendKind::cpu));
  EXPECT_TRUE(has_denoising(BackendKind::cuda));
  EXPECT_FALSE(has_denoising(BackendKind::opencl));
  EXPECT_TRUE(traits_of(IntegralOptions()).only_on.empty());
}

constexpr std::array kCpuOnly = {BackendKind::cpu};

TEST(OptionsFor, OneOperationAllowOnlyBackendsThatHaveIt) {
  const auto lacking = [](const GlobalOptions& options) {
    return options_for(std::vector{OperationTraits{.what = "hist", .only_on = kCpuOnly}}, options);
  };
  GlobalOptions asked;
  asked.can_use_cpu = true;
  EXPECT_EQ(candidates(lacking(asked)).size(), 1U);
  EXPECT_EQ(candidates(lacking(asked)).front()->kind, BackendKind::cpu);
  EXPECT_FALSE(why_only_one(lacking(asked)).empty());
  asked.backend = BackendKind::cpu;
  EXPECT_NO_THROW((void)lacking(asked));
  asked.backend = BackendKind::cuda;
  try {
    (void)lacking(asked);
    ADD_FAILURE() << "was not rejected";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(), "--backend: cuda does not have hist; use cpu");
  }
  GlobalOptions verifying;
  verifying.can_use_cpu = true;
  verifying.verify = true;
  EXPECT_THROW((void)lacking(verifying), Error);
  EXPECT_NO_THROW((void)options_for(std::vector{OperationTraits{.what = "hist"}}, verifying));
}

constexpr std::array kCudaOnly = {BackendKind::cuda};
constexpr std::array kOpenclOnly = {BackendKind::opencl};

/// With several operations, the CPU runs those that the chosen backend lacks.
TEST(OptionsFor, SeveralStepsLeaveMissingOnesToTheCpu) {
  const OperationTraits anywhere{.what = "anywhere"};
  const OperationTraits on_cpu{.what = "on_cpu", .only_on = kCpuOnly};
  const OperationTraits on_cuda{.what = "on_cuda", .only_on = kCudaOnly};
  const OperationTraits on_opencl{.what = "on_opencl", .only_on = kOpenclOnly};
  const auto chosen_among = [](const std::vector<OperationTraits>& steps, const GlobalOptions& options) {
    return options_for(steps, options).backends;
  };
  using Kinds = std::vector<BackendKind>;
  GlobalOptions auto_options;
  auto_options.can_use_cpu = true;
  EXPECT_EQ(chosen_among({anywhere, on_cpu}, auto_options),
            (Kinds{BackendKind::cpu, BackendKind::cuda, BackendKind::opencl}));
  EXPECT_EQ(chosen_among({on_cuda, on_cpu}, auto_options), Kinds{BackendKind::cuda});
  EXPECT_EQ(chosen_among({on_cuda, anywhere}, auto_options), Kinds{BackendKind::cuda});
  EXPECT_FALSE(options_for(std::vector{on_cuda, on_cpu}, auto_options).can_use_cpu);
  EXPECT_THROW((void)chosen_among({on_cuda, on_opencl}, auto_options), Error);
  GlobalOptions cuda;
  cuda.backend = BackendKind::cuda;
  EXPECT_NO_THROW((void)chosen_among({anywhere, on_cuda}, cuda));
  try {
    (void)chosen_among({anywhere, on_cuda, on_cpu}, cuda);
    ADD_FAILURE() << "was not rejected";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--backend: cuda does not have on_cpu; omit it, because no backend has all steps");
  }
}

}  // namespace
}  // namespace gpuimg::test_operations
