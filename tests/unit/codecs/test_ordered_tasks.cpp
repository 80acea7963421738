// Ordered tasks: one thread submits them, and several threads run them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "codecs/png/ordered_tasks.hpp"

namespace gpuimg::test_ordered_tasks {
using namespace codecs;
using namespace codecs::png;

namespace {

void for_kinds(const std::function<void(int threads, std::size_t in_flight)>& body) {
  for (const int threads : {1, 2, 4}) {
    for (const std::size_t in_flight : {1U, 2U, 3U, 8U}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, in flight: " + std::to_string(in_flight));
      body(threads, in_flight);
    }
  }
}

TEST(OrderedTasks, EachRunsOnceAfterItIsSubmitted) {
  for_kinds([](int threads, std::size_t in_flight) {
    constexpr int kTasks = 500;
    std::vector<int> inputs(kTasks, 0);  // not 0 after the task has been submitted
    std::vector<std::atomic<int>> runs(kTasks);
    std::atomic<int> running = 0;
    std::atomic<bool> are_few = true;
    OrderedTasks tasks(threads, in_flight, [&](int number) {
      are_few = are_few && ++running <= threads;
      runs[static_cast<std::size_t>(number)] += inputs[static_cast<std::size_t>(number)];
      --running;
    });
    for (int number = 0; number < kTasks; ++number) {
      ASSERT_EQ(tasks.begun(), number);
      inputs[static_cast<std::size_t>(number)] = 1;
      tasks.begin();
      const int old = number - static_cast<int>(in_flight);
      ASSERT_TRUE(old < 0 || runs[static_cast<std::size_t>(old)] == 1);
      if (number % 7 == 0) {
        tasks.wait_for(number);
        ASSERT_EQ(runs[static_cast<std::size_t>(number)], 1);
      }
    }
    tasks.wait_for(kTasks - 1);
    tasks.wait_for(-1);
    for (const std::atomic<int>& each : runs) {
      ASSERT_EQ(each, 1);
    }
    EXPECT_TRUE(are_few);
  });
}

TEST(OrderedTasks, WaitingRethrowsTheErrorOfATask) {
  for_kinds([](int threads, std::size_t in_flight) {
    OrderedTasks tasks(threads, in_flight, [](int number) {
      if (number % 3 == 1) {
        throw std::runtime_error(std::to_string(number));
      }
    });
    for (int number = 0; number < 100; ++number) {
      tasks.begin();
      std::string thrown;
      try {
        tasks.wait_for(number);
      } catch (const std::runtime_error& error) {
        thrown = error.what();
      }
      ASSERT_EQ(thrown, number % 3 == 1 ? std::to_string(number) : "");
    }
  });
}

TEST(OrderedTasks, BeginRethrowsAnErrorThatNobodyWaitedFor) {
  OrderedTasks tasks(2, 2, [](int number) {
    if (number == 0) {
      throw std::runtime_error("first");
    }
  });
  tasks.begin();
  tasks.begin();
  EXPECT_THROW(tasks.begin(), std::runtime_error);
}

/// The destructor must wait for running tasks, because they use data that is about to be destroyed.
TEST(OrderedTasks, AbandonedTasksDoNotRun) {
  for_kinds([](int threads, std::size_t in_flight) {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> running = 0;
      std::atomic<int> started = 0;
      {
        OrderedTasks tasks(threads, in_flight, [&](int) {
          ++running;
          ++started;
          std::this_thread::sleep_for(std::chrono::microseconds(200));
          --running;
        });
        for (std::size_t i = 0; i < in_flight; ++i) {
          tasks.begin();
        }
        if (round % 2 == 0) {
          tasks.abandon();
          const int before = started;
          EXPECT_EQ(running, 0);
          std::this_thread::sleep_for(std::chrono::microseconds(300));
          EXPECT_EQ(started, before);
        }
      }
      EXPECT_EQ(running, 0);
    }
  });
}

TEST(OrderedTasks, TheWaitingThreadRunsTasks) {
  OrderedTasks tasks(1, 3,
                     [caller = std::this_thread::get_id()](int) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  tasks.begin();
  tasks.begin();
  tasks.wait_for(1);
}

}  // namespace
}  // namespace gpuimg::test_ordered_tasks
