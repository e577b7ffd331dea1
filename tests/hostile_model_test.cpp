// Models that claim sizes: what is taken for them depends on the file and the data, never on the
// claim.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/drift.hpp"
#include "sfg/model.hpp"
#include "sfg/pipeline.hpp"

namespace sfg {
namespace {

using nlohmann::json;
using testing::expect_error;
using testing::random_matrix;
using testing::table_of;

constexpr std::int64_t kMost = std::numeric_limits<Index>::max();

/// Ten features, the last five near copies and sums of the first five.
Dataset ten_features() {
  DenseMatrix data = random_matrix(40, 10, 1);
  for (Index j = 5; j < 10; ++j) {
    for (Index i = 0; i < 40; ++i) data(i, j) = data(i, j - 5) + 0.02 * (j - 5) * data(i, j);
  }
  return table_of(std::move(data));
}

json honest_model() {
  const Dataset dataset = ten_features();
  const MethodOptions options;
  return json::parse(
      model_to_json(make_model(dataset, options, reduce(dataset, options), Missing::refuse)));
}

/// Bytes that this process has held at most.
double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

/// What loading, applying and checking takes beyond what the process held before.
double memory_of_use(const json& model) {
  const Dataset dataset = ten_features();
  const std::string text = model.dump();
  const double before = peak_memory();
  const Model read = model_from_text(text, "m.json");
  (void)apply_model(read, dataset);
  (void)check_drift(read, dataset, {});
  return peak_memory() - before;
}

TEST(HostileModel, counts_of_samples_are_numbers_and_no_sizes) {
  constexpr double kLittle = 64.0 * (1U << 20U);
  for (const char* name : {"n_samples", "n_tested"}) {
    json model = honest_model();
    ASSERT_FALSE(model["baseline"]["relations"].empty());
    model["baseline"][name] = kMost;
    EXPECT_LT(memory_of_use(model), kLittle) << name;
  }
  json model = honest_model();
  model["baseline"]["n_tested"] = kMost;
  model["baseline"]["n_beyond"] = kMost;
  EXPECT_LT(memory_of_use(model), kLittle);
}

void expect_refused(const char* words, const std::function<void(json&)>& change) {
  json model = honest_model();
  change(model);
  expect_error(ErrorCode::malformed_input, {"m.json", words},
               [&] { (void)model_from_text(model.dump(), "m.json"); });
}

TEST(HostileModel, numbers_of_features_and_samples_out_of_range_are_refused) {
  for (const std::int64_t number :
       {kMost, std::numeric_limits<std::int64_t>::max(), std::int64_t{10}, std::int64_t{-1}}) {
    expect_refused("out of range", [&](json& model) { model["kept"][0] = number; });
    expect_refused("out of range", [&](json& model) { model["representatives"][0] = number; });
    expect_refused("out of range", [&](json& model) { model["groups"][0][0] = number; });
    expect_refused("out of range", [&](json& model) { model["removed"][0]["feature"] = number; });
    expect_refused("out of range",
                   [&](json& model) { model["removed"][0]["representative"] = number; });
    expect_refused("out of range", [&](json& model) {
      model["removed"][0]["combination"]["terms"][0][0] = number;
    });
    expect_refused("no combination",
                   [&](json& model) { model["baseline"]["relations"][0]["feature"] = number; });
  }
  for (const char* name : {"n_samples", "n_tested", "n_beyond"}) {
    expect_refused("no number of samples",
                   [&](json& model) { model["baseline"][name] = kMost + 1; });
    expect_refused("no number of samples", [&](json& model) { model["baseline"][name] = -1; });
  }
}

TEST(HostileModel, lists_that_do_not_fit_together_are_refused) {
  expect_refused("in no group", [](json& model) { model["feature_names"].push_back("one more"); });
  expect_refused("per group", [](json& model) { model["representatives"].push_back(0); });
  expect_refused("no members", [](json& model) { model["groups"].push_back(json::array()); });
  expect_refused("one range per kept", [](json& model) { model["baseline"]["kept"].erase(0); });
  expect_refused("no samples", [](json& model) { model["baseline"]["n_samples"] = 0; });
  expect_refused("none", [](json& model) { model["baseline"]["kept"][0] = {0, 1, 2, 1}; });
  expect_refused("no size", [](json& model) { model["baseline"]["relations"][0]["scale"] = -1; });
}

}  // namespace
}  // namespace sfg
