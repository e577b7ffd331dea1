// Work in a thread of its own, seen from the thread that waits for it.
#include "sfg/background.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace sfg {
namespace {

/// Ends when it is told to.
void until_stopped(const RunContext& run) {
  while (!run.stop->load()) std::this_thread::yield();
}

void wait_for(Background& background) {
  while (!background.wait_a_moment()) {
  }
}

TEST(Background, the_work_runs_in_another_thread_and_its_end_is_seen) {
  std::thread::id worker;
  Background background({}, false, [&](const RunContext&) { worker = std::this_thread::get_id(); });
  wait_for(background);
  background.finish();
  EXPECT_NE(worker, std::thread::id());
  EXPECT_NE(worker, std::this_thread::get_id());
}

TEST(Background, what_the_work_throws_is_thrown_to_the_one_who_waits) {
  Background background({}, false, [](const RunContext&) { throw std::runtime_error("no"); });
  wait_for(background);
  EXPECT_THROW(background.finish(), std::runtime_error);
}

TEST(Background, threads_seed_and_limit_reach_the_work) {
  RunContext given;
  given.threads = 3;
  given.seed = 5;
  given.memory_limit = 7;
  RunContext seen;
  Background(given, false, [&](const RunContext& run) { seen = run; }).finish();
  EXPECT_EQ(seen.threads, 3);
  EXPECT_EQ(seen.seed, 5U);
  EXPECT_EQ(seen.memory_limit, 7U);
}

TEST(Background, progress_is_handed_over_once_and_in_order) {
  Background background({}, true, [](const RunContext& run) {
    run.progress("first", 1, 2);
    run.progress("second", 2, 2);
  });
  wait_for(background);
  const auto events = background.take_events();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].stage, "first");
  EXPECT_EQ(events[1].done, 2);
  EXPECT_TRUE(background.take_events().empty());
}

TEST(Background, without_a_wish_for_progress_there_is_none_to_call) {
  bool has_progress = true;
  Background({}, false, [&](const RunContext& run) {
    has_progress = static_cast<bool>(run.progress);
  }).finish();
  EXPECT_FALSE(has_progress);
}

TEST(Background, cancelling_ends_the_work) {
  Background background({}, false, until_stopped);
  EXPECT_FALSE(background.wait_a_moment());
  background.cancel();
  EXPECT_TRUE(background.wait_a_moment());
}

TEST(Background, work_that_nobody_waits_for_is_ended) {
  bool has_ended = false;
  {
    const Background background({}, false, [&](const RunContext& run) {
      until_stopped(run);
      has_ended = true;
    });
  }
  EXPECT_TRUE(has_ended);
}

}  // namespace
}  // namespace sfg
