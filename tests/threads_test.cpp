#include "core/threads.hpp"

#include <cblas.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "helpers.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {
namespace {

using testing::with_threads;

TEST(Threads, every_item_runs_exactly_once) {
  for (const int threads : {1, 2, 5}) {
    for (const std::int64_t n_items : {1, 3, 1000, 20'011}) {  // one by one, and in handfuls
      std::vector<int> runs(static_cast<std::size_t>(n_items), 0);
      parallel_for(with_threads(threads), {}, n_items, [&](std::int64_t item) { ++runs[item]; });
      EXPECT_EQ(std::ranges::count(runs, 1), n_items);
    }
  }
}

TEST(Threads, the_error_of_the_lowest_item_is_the_one_reported) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    for (const std::int64_t n_items : {100, 10'000}) {
      testing::expect_error(ErrorCode::malformed_input, {"item 77."}, [&] {
        parallel_for(with_threads(3), {}, n_items, [&](std::int64_t item) {
          if (item >= 77)
            throw Error(ErrorCode::malformed_input, "item " + std::to_string(item) + ".");
        });
      });
    }
  }
}

TEST(Threads, worker_numbers_are_in_range_and_exclusive) {
  constexpr int kThreads = 4;
  std::vector<std::atomic<int>> busy(kThreads);
  parallel_for_workers(with_threads(kThreads), {}, 2000, [&](std::int64_t, int worker) {
    ASSERT_GE(worker, 0);
    ASSERT_LT(worker, kThreads);
    EXPECT_EQ(busy[worker].fetch_add(1), 0);
    busy[worker].fetch_sub(1);
  });
}

TEST(Threads, progress_is_told_by_one_thread_at_a_time_and_only_grows) {
  sfg::RunContext run = with_threads(4);
  std::vector<double> told;  // without a lock: the thread sanitizer would notice two at once
  run.progress = [&](std::string_view, double done, double) { told.push_back(done); };
  parallel_for(run, "work", 20000, [](std::int64_t) {});
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_EQ(told.back(), 20000);
}

TEST(Threads, no_items_is_no_work) {
  parallel_for(with_threads(2), "nothing", 0, [](std::int64_t) { FAIL(); });
}

TEST(Threads, blas_stays_single_threaded_until_the_last_of_several_calls_ends) {
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(2);
  auto first = std::make_unique<SingleThreadedBlas>();
  auto second = std::make_unique<SingleThreadedBlas>();
  EXPECT_EQ(openblas_get_num_threads(), 1);
  first.reset();
  EXPECT_EQ(openblas_get_num_threads(), 1);
  second.reset();
  EXPECT_EQ(openblas_get_num_threads(), 2);
  openblas_set_num_threads(before);
}

TEST(Machine, reports_at_least_one_core_and_some_memory) {
  EXPECT_GE(available_threads(), 1);
  EXPECT_GT(available_memory(), 0U);
  EXPECT_GT(peak_resident_bytes(), 0U);
}

}  // namespace
}  // namespace sfg::detail
