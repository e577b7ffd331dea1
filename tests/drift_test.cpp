// Relations of a model in new data: those that break are told, and clean data are silent.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "drift_tables.hpp"
#include "helpers.hpp"
#include "reduce/suspects.hpp"
#include "sampling.hpp"

namespace sfg {
namespace {

using nlohmann::json;
using testing::expect_error;
using testing::model_of;
using testing::names_in;
using testing::rows_between;
using testing::station;
using testing::TemporaryFolder;
using testing::with_changed;
using Names = std::vector<std::string>;

const Model& station_model() {
  static const Model model = model_of(station(200, 1), testing::three_features());
  return model;
}

Names broken_names(const DriftReport& report) {
  Names names;
  for (const BrokenRelation& one : report.broken) {
    names.push_back(station_model().feature_names[one.feature]);
  }
  return names;
}

TEST(Drift, relations_of_the_model_are_equations_copies_and_good_predictions) {
  const Baseline& known = station_model().baseline;
  EXPECT_EQ(known.n_samples, 200);
  EXPECT_EQ(known.relations.size(), station_model().reduction.removed.size());
  Index n_exact = 0;
  for (const Relation& one : known.relations) {
    n_exact += one.kind == RelationKind::exact ? 1 : 0;
    EXPECT_LE(one.scale, one.limit);
    EXPECT_GE(one.r2, kWatchedR2);
  }
  EXPECT_EQ(n_exact, 3);  // temp_f or temp_in, kelvin, wind_again
  EXPECT_EQ(known.kept.size(), station_model().reduction.kept.size());
  EXPECT_EQ(known.n_tested, 200);
  EXPECT_EQ(known.n_beyond, 2);
}

TEST(Drift, clean_rows_raise_no_alarm) {
  const DriftReport report = check_drift(station_model(), station(300, 2));
  EXPECT_TRUE(report.broken.empty());
  EXPECT_TRUE(report.shifted.empty());
  EXPECT_TRUE(report.suspects.empty());
  EXPECT_EQ(report.n_checked, report.n_relations);
  EXPECT_EQ(report.n_rows, 300);
  EXPECT_EQ(report.unchecked, "");
}

struct Fault {
  std::string name;
  std::string column;
  std::function<double(double)> change;
};

class BrokenSensor : public ::testing::TestWithParam<Fault> {};

TEST_P(BrokenSensor, is_named) {
  const Dataset broken = with_changed(station(200, 2), GetParam().column, GetParam().change, 40);
  const DriftReport report = check_drift(station_model(), broken);
  ASSERT_FALSE(report.broken.empty());
  ASSERT_FALSE(report.suspects.empty());
  const Suspect& first = report.suspects.front();
  EXPECT_EQ(first.n_broken, static_cast<Index>(report.broken.size()));
  const Names suspects = names_in(station_model(), first.features);
  EXPECT_NE(std::ranges::find(suspects, GetParam().column), suspects.end());
  for (const BrokenRelation& one : report.broken) {
    const bool is_exact = one.kind == RelationKind::exact;
    EXPECT_TRUE(!is_exact || one.first_rows.front() >= 40);
    EXPECT_LE(one.n_broken, 160 + 10);
    EXPECT_GT(std::fabs(one.largest), one.limit);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Drift, BrokenSensor,
    ::testing::Values(Fault{"scaled", "temp_in", [](double x) { return 1.1 * x; }},
                      Fault{"stuck", "temp_in", [](double) { return 20.0; }},
                      Fault{"offset", "temp_in", [](double x) { return x + 3; }},
                      Fault{"scaled_target", "temp_f", [](double x) { return 1.1 * x; }},
                      Fault{"stuck_copy", "wind", [](double) { return 3.0; }},
                      Fault{"scaled_prediction", "glass", [](double x) { return 1.1 * x; }},
                      Fault{"stuck_prediction", "pressure", [](double) { return 1000.0; }}),
    [](const auto& info) { return info.param.name; });

TEST(Drift, two_broken_sensors_are_both_named) {
  Dataset broken = with_changed(
      station(200, 2), "temp_in", [](double x) { return x + 3; }, 10);
  broken = with_changed(
      std::move(broken), "glass", [](double) { return 1990.0; }, 20);
  const DriftReport report = check_drift(station_model(), broken);
  ASSERT_EQ(report.suspects.size(), 2U);
  EXPECT_EQ(names_in(station_model(), report.suspects[0].features), Names{"temp_in"});
  const Names second = names_in(station_model(), report.suspects[1].features);
  EXPECT_NE(std::ranges::find(second, "glass"), second.end());
  EXPECT_EQ(describe(station_model(), report, report.suspects[0]),
            "temp_in is in 3 of the 4 broken relations: look there first");
}

TEST(Drift, one_row_breaks_an_equation_and_a_prediction_only_if_it_is_far_off) {
  auto data = station(200, 2);
  auto& matrix = std::get<DenseMatrix>(data.matrix);
  matrix(17, 1) += 1;  // temp_f
  DriftReport report = check_drift(station_model(), data);
  ASSERT_EQ(broken_names(report).size(), 1U);
  EXPECT_EQ(report.broken[0].n_broken, 1);
  EXPECT_EQ(report.broken[0].first_rows, std::vector<Index>{17});
  EXPECT_NE(describe(station_model(), report, report.broken[0])
                .find("holds no longer in 1 of 200 rows (18); off by up to"),
            std::string::npos);
  data = station(200, 2);
  std::get<DenseMatrix>(data.matrix)(17, 7) += 12;  // glass: four standard deviations
  EXPECT_TRUE(check_drift(station_model(), data).broken.empty());
  std::get<DenseMatrix>(data.matrix)(17, 7) += 300;
  EXPECT_EQ(check_drift(station_model(), data).broken.size(), 1U);
}

TEST(Drift, features_of_few_values_may_have_agreed_by_chance) {
  Dataset data = station(160, 7);
  auto& matrix = std::get<DenseMatrix>(data.matrix);
  for (Index i = 0; i < 160; ++i) {
    matrix(i, 5) = std::floor(matrix(i, 5) / 5);  // wind: 0 to 4
    matrix(i, 6) = matrix(i, 5);
  }
  for (const Index i : {100, 120, 140}) matrix(i, 6) = matrix(i, 6) + 1;
  const Model model = model_of(rows_between(data, 0, 80), testing::three_features());
  EXPECT_TRUE(check_drift(model, rows_between(data, 80, 160)).broken.empty());
  const auto reversed = [](double x) { return 4 - x; };
  const Dataset broken = with_changed(rows_between(data, 80, 160), "wind_again", reversed);
  ASSERT_EQ(check_drift(model, broken).broken.size(), 1U);
}

TEST(Drift, rows_with_gaps_do_not_count) {
  auto data = with_changed(station(100, 2), "temp_in", [](double x) { return x + 3; });
  auto& matrix = std::get<DenseMatrix>(data.matrix);
  for (Index i = 10; i < 100; ++i) matrix(i, 0) = std::numeric_limits<double>::quiet_NaN();
  const DriftReport report = check_drift(station_model(), data);
  ASSERT_FALSE(report.broken.empty());
  for (const BrokenRelation& one : report.broken) EXPECT_EQ(one.n_rows, 10);
  for (Index i = 0; i < 10; ++i) matrix(i, 0) = std::numeric_limits<double>::infinity();
  const DriftReport none = check_drift(station_model(), data);
  EXPECT_TRUE(none.broken.empty());
  EXPECT_LT(none.n_checked, none.n_relations);
}

TEST(Drift, features_that_are_not_there_are_counted_and_no_fault) {
  const Model& model = station_model();
  const Dataset all = station(100, 2);
  Dataset kept = apply_model(model, all);
  const DriftReport none = check_drift(model, kept);
  EXPECT_EQ(none.n_checked, 0);
  EXPECT_NE(none.unchecked.find("not in these data"), std::string::npos);
  EXPECT_EQ(drift_summary(none).substr(0, 23), "No relation was checked");
  std::vector<Index> columns{7, 6, 5, 4, 3, 2, 0};
  const DriftReport some = check_drift(model, select_features(all, columns));
  EXPECT_LT(some.n_checked, some.n_relations);
  EXPECT_GT(some.n_checked, 0);
}

TEST(Drift, new_data_may_be_written_with_fewer_digits) {
  // 0.1 + 0.2 of full doubles, then to four digits and to single precision.
  Dataset data = testing::station(80, 3);
  detail::Random random(4);
  auto& matrix = std::get<DenseMatrix>(data.matrix);
  for (Index i = 0; i < 80; ++i) {
    matrix(i, 4) = random.normal();
    matrix(i, 7) = 3 * matrix(i, 4) + 0.1;
  }
  const Model model = model_of(rows_between(data, 0, 60), testing::three_features());
  const Dataset fresh = rows_between(data, 60, 80);
  EXPECT_TRUE(check_drift(model, fresh).broken.empty());
  const auto rounded = [&](const std::function<double(double)>& how) {
    return with_changed(with_changed(fresh, "glass", how), "pressure", how);
  };
  const auto four_digits = [](double x) { return std::round(1e4 * x) / 1e4; };
  const auto single = [](double x) { return static_cast<double>(static_cast<float>(x)); };
  EXPECT_TRUE(check_drift(model, rounded(four_digits)).broken.empty());
  EXPECT_TRUE(check_drift(model, rounded(single)).broken.empty());
  const auto slightly = [](double x) { return x + 1e-5; };
  EXPECT_EQ(check_drift(model, with_changed(fresh, "glass", slightly)).broken.size(), 1U);
}

TEST(Drift, a_kept_feature_that_is_elsewhere_is_told) {
  const Names kept = names_in(station_model(), station_model().reduction.kept);
  const auto higher = [](double x) { return x + 20; };
  const DriftReport report =
      check_drift(station_model(), with_changed(station(200, 2), kept[0], higher));
  ASSERT_EQ(report.shifted.size(), 1U);
  EXPECT_EQ(report.shifted[0].feature, station_model().reduction.kept[0]);
  EXPECT_GT(report.shifted[0].shift, 1);
  EXPECT_GT(report.shifted[0].n_outside, 50);
  // Two outliers of 200 are none.
  auto data = station(200, 2);
  data = with_changed(std::move(data), kept[0], higher, 198);
  EXPECT_TRUE(check_drift(station_model(), data).shifted.empty());
}

TEST(Drift, logarithms_are_checked_row_by_row_and_ranks_are_not) {
  Dataset data = station(200, 5);
  auto& matrix = std::get<DenseMatrix>(data.matrix);
  for (Index i = 0; i < 200; ++i) {
    for (Index f = 0; f < 8; ++f) matrix(i, f) = std::fabs(matrix(i, f));
    matrix(i, 7) = std::expm1(0.5 * std::log1p(matrix(i, 5)) + 1);
  }
  const Dataset old = rows_between(data, 0, 120);
  const Dataset fresh = rows_between(data, 120, 200);
  MethodOptions options;
  options.transform = Transform::log1p;
  const Model logs = model_of(old, options);
  EXPECT_GT(logs.baseline.relations.size(), 0U);
  EXPECT_TRUE(check_drift(logs, fresh).broken.empty());
  const auto doubled = [](double x) { return 2 * x; };
  const DriftReport report = check_drift(logs, with_changed(fresh, "glass", doubled));
  ASSERT_EQ(report.broken.size(), 1U);
  EXPECT_NE(relation_text(logs, report.broken[0].feature).find("log1p("), std::string::npos);
  options.transform = Transform::rank;
  const DriftReport ranks = check_drift(model_of(old, options), fresh);
  EXPECT_EQ(ranks.n_relations, 0);
  EXPECT_NE(ranks.unchecked.find("'rank'"), std::string::npos);
}

TEST(Drift, a_model_of_version_1_is_read_and_knows_nothing_of_it) {
  const auto path = std::filesystem::path(SFG_SOURCE_FOLDER) / "tests/data/version_1.model.json";
  const Model model = load_model(path);
  EXPECT_EQ(model.baseline.n_samples, 0);
  const Dataset data = station(20, 1);
  EXPECT_EQ(n_features(apply_model(model, data).matrix),
            static_cast<Index>(model.reduction.kept.size()));
  const DriftReport report = check_drift(model, data);
  EXPECT_EQ(report.n_relations, 0);
  EXPECT_NE(report.unchecked.find("earlier version"), std::string::npos);
  EXPECT_NO_THROW((void)model_from_text(model_to_json(model), "again"));
}

TEST(Drift, impossible_values_in_a_model_are_refused) {
  const json whole = json::parse(model_to_json(station_model()));
  EXPECT_NO_THROW((void)model_from_text(whole.dump(), "whole"));
  const auto refuse = [&](const std::string& place, const json& value) {
    json changed = whole;
    changed[json::json_pointer(place)] = value;
    expect_error(ErrorCode::malformed_input, {"hostile"},
                 [&] { (void)model_from_text(changed.dump(), "hostile"); });
  };
  for (const json& value : {json(-1.0), json(nullptr), json("x"), json::array()}) {
    refuse("/baseline/relations/0/limit", value);
    refuse("/baseline/relations/0/scale", value);
    refuse("/baseline/kept/0/1", value);
    refuse("/baseline/n_samples", value);
  }
  refuse("/baseline/relations/0/far", 0);
  refuse("/baseline/relations/0/feature", 4'000'000'000);
  refuse("/baseline/relations/0/feature", whole["kept"][0]);
  refuse("/baseline/relations/1/feature", whole["baseline"]["relations"][0]["feature"]);
  refuse("/baseline/relations/0/kind", "guessed");
  refuse("/baseline/kept/0", json::array({0, 1, 3, 2}));
  refuse("/baseline/kept", json::array());
  refuse("/baseline/n_beyond", 0);
  refuse("/baseline/n_beyond", 4'000'000);
  refuse("/baseline/n_samples", 1e300);
  std::string huge = whole.dump();
  const auto place = huge.find("\"limit\":") + 8;
  huge.replace(place, huge.find_first_of(",}", place) - place, "1e999");
  expect_error(ErrorCode::malformed_input, {"hostile"},
               [&] { (void)model_from_text(huge, "hostile"); });
}

TEST(Drift, suspects_are_what_broken_relations_share_and_whole_ones_speak_for) {
  using detail::find_suspects;
  const auto first = find_suspects({{1, 0}, {2, 0}, {3, 0}}, {}, 9);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].features, std::vector<Index>{0});
  EXPECT_EQ(first[0].n_broken, 3);
  // 0 holds elsewhere: then it is 1 itself.
  EXPECT_EQ(find_suspects({{1, 0}}, {{2, 0}, {3, 0}}, 9)[0].features, std::vector<Index>{1});
  // Nothing tells one from the other.
  EXPECT_EQ(find_suspects({{1, 0}}, {}, 9)[0].features, (std::vector<Index>{0, 1}));
  // Two targets of one busy feature.
  const auto two = find_suspects({{1, 0}, {2, 0}}, {{3, 0}, {4, 0}, {5, 0}}, 9);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].features, std::vector<Index>{1});
  EXPECT_EQ(two[1].features, std::vector<Index>{2});
  EXPECT_TRUE(find_suspects({{0, 1}}, {{0, 2}, {1, 2}}, 9).empty());
}

/// Planted data, of which the first rows make the model and the others are new.
DriftReport clean_draw(Index n_features, Index n_old, Index n_new, std::uint64_t seed) {
  SynthOptions options;
  options.n_samples = n_old + n_new;
  options.n_features = n_features;
  options.noise = 0.2;
  const Dataset all = synthesise(options, seed).dataset;
  MethodOptions method;
  method.grouping = CompactOptions{.level = {.keep_share = 0.4}};
  const Model model = model_of(rows_between(all, 0, n_old), method);
  EXPECT_GT(model.baseline.relations.size(), 0U);
  return check_drift(model, rows_between(all, n_old, n_old + n_new));
}

TEST(Drift, two_hundred_clean_draws_are_silent) {
  for (std::uint64_t seed = 1; seed <= (testing::kSampled ? 20 : 200); ++seed) {
    const auto n_old = static_cast<Index>(30 + seed % 5 * 20);
    const DriftReport report = clean_draw(50, n_old, static_cast<Index>(1 + seed % 4 * 40), seed);
    EXPECT_TRUE(report.broken.empty()) << "seed " << seed << ": " << drift_summary(report);
    EXPECT_TRUE(report.shifted.empty()) << "seed " << seed;
    EXPECT_GT(report.n_checked, 0);
  }
}

TEST(Drift, clean_draws_of_two_thousand_features_are_silent) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const DriftReport report = clean_draw(2000, 100, 100, seed);
    EXPECT_TRUE(report.broken.empty()) << "seed " << seed << ": " << drift_summary(report);
    EXPECT_TRUE(report.shifted.empty()) << "seed " << seed;
    EXPECT_GT(report.n_checked, 500);
  }
}

}  // namespace
}  // namespace sfg
