// One source for every option: what a struct lists is what everybody sees.
#include "sfg/options.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <regex>

#include "helpers.hpp"
#include "listed_options.hpp"
#include "option_docs.hpp"
#include "program.hpp"
#include "sfg/json.hpp"
#include "sfg/sfg.hpp"

namespace sfg::testing {

enum class Taste { sweet, sour, bitter };

/// A struct of this test's own, with a field of every kind.
struct FruitOptions {
  bool peeled = false;
  int n_apples = 3;
  double ripeness = 0.5;
  Taste taste = Taste::sweet;
  std::optional<double> most_sugar = {};
  std::vector<double> weights = {1.5, 2};
  std::string garden = {};
  std::vector<Taste> tastes = {Taste::sour};
};

}  // namespace sfg::testing

template <>
inline constexpr auto sfg::kChoices<sfg::testing::Taste> =
    std::array{sfg::Choice{sfg::testing::Taste::sweet, "sweet", "as sugar"},
               sfg::Choice{sfg::testing::Taste::sour, "sour", "as lemons"},
               sfg::Choice{sfg::testing::Taste::bitter, "bitter", "as peel"}};

namespace sfg::testing {

template <OptionsOf<FruitOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"peeled", "Take the peel off"}, options.peeled);
  visit({"n_apples", "How many apples", at_least(0), "none"}, options.n_apples);
  visit({"ripeness", "How ripe they are", between(0, 1)}, options.ripeness);
  visit({.name = "taste", .help = "What they taste of", .without = "bitter"}, options.taste);
  visit({"most_sugar", "Most sugar", above(0)}, options.most_sugar);
  visit({"weights", "Their weights", above(0)}, options.weights);
  visit({.name = "garden", .help = "Where the {n_apples} grow", .form = "STREETxNUMBER"},
        options.garden);
  visit({.name = "tastes", .help = "What others taste of", .without = "bitter"}, options.tastes);
}

namespace {

FruitOptions from_texts(const GivenTexts& texts) {
  FruitOptions options;
  TextSetter setter(texts);
  visit_fields(options, setter);
  return options;
}

TEST(Options, a_line_in_the_list_is_an_argument_with_its_help_choices_and_default) {
  CLI::App app;
  cli::ListedOptions listed;
  listed.add_all<FruitOptions>(app, "Fruit");
  const std::string help = app.help();
  for (const char* expected :
       {"--peeled", "--n-apples", "How many apples (default: 3)", "sweet|sour", "--most-sugar",
        "(default: 1.5,2)", "STREETxNUMBER", "Where the --n-apples grow", "--tastes"}) {
    EXPECT_NE(help.find(expected), std::string::npos) << expected << " in\n" << help;
  }
  app.parse(
      "--peeled --n-apples none --taste sour --weights 3,4,5 --most-sugar 2 --tastes sweet,sour");
  const auto options = listed.read<FruitOptions>();
  EXPECT_TRUE(options.peeled);
  EXPECT_EQ(options.n_apples, 0);
  EXPECT_EQ(options.taste, Taste::sour);
  EXPECT_EQ(options.weights, (std::vector<double>{3, 4, 5}));
  EXPECT_EQ(options.most_sugar, 2.0);
  EXPECT_EQ(options.ripeness, 0.5);
  EXPECT_EQ(options.tastes, (std::vector<Taste>{Taste::sweet, Taste::sour}));
}

TEST(Options, a_line_in_the_list_is_an_entry_of_the_json_document) {
  const auto json = options_to_json(FruitOptions{});
  EXPECT_EQ(json.dump(),
            R"({"peeled":false,"n_apples":3,"ripeness":0.5,"taste":"sweet","most_sugar":null,)"
            R"("weights":[1.5,2.0],"garden":"","tastes":["sour"]})");
}

TEST(Options, a_line_in_the_list_is_a_row_of_the_documentation) {
  const std::string table = cli::options_table("Fruit", describe_fields<FruitOptions>());
  for (const char* expected :
       {"| `n_apples` | whole number at least 0, or `none` | 3 | How many apples. |",
        "| `taste` | `sweet`, `sour` | sweet | What they taste of. `sweet`: as sugar. `sour`: as "
        "lemons. |",
        "| `ripeness` | number above 0 and below 1 | 0.5 |", "| `peeled` | yes or no | no |",
        "| `garden` | text: `STREETxNUMBER` | - | Where the `n_apples` grow. |",
        "| `tastes` | list of `sweet`, `sour` | sour | What others taste of. "}) {
    EXPECT_NE(table.find(expected), std::string::npos) << expected << " in\n" << table;
  }
}

TEST(Options, values_out_of_their_limits_are_refused_with_name_and_limits) {
  FruitOptions options;
  options.ripeness = 1;
  expect_error(ErrorCode::invalid_option, {"ripeness must be above 0 and below 1, not 1"},
               [&] { check_fields(options); });
  options = {};
  options.ripeness = std::numeric_limits<double>::quiet_NaN();
  expect_error(ErrorCode::invalid_option, {"ripeness"}, [&] { check_fields(options); });
  options = {};
  options.most_sugar = 0;
  expect_error(ErrorCode::invalid_option, {"most_sugar"}, [&] { check_fields(options); });
  options = {};
  options.weights = {1, -1};
  expect_error(ErrorCode::invalid_option, {"weights", "-1"}, [&] { check_fields(options); });
  check_fields(FruitOptions{});
}

TEST(Options, a_choice_that_a_field_does_not_have_is_refused_with_those_it_has) {
  FruitOptions options;
  options.tastes = {Taste::sweet, Taste::bitter};
  expect_error(ErrorCode::invalid_option, {"tastes must be one of sweet, sour, not 'bitter'"},
               [&] { check_fields(options); });
  options = {};
  options.taste = Taste::bitter;
  expect_error(ErrorCode::invalid_option, {"taste must be one of sweet, sour, not 'bitter'"},
               [&] { check_fields(options); });
}

TEST(Options, texts_that_are_no_value_are_refused) {
  const auto refused = [](const std::string& name, const std::string& text) {
    expect_error(ErrorCode::invalid_option, {name}, [&] {
      static_cast<void>(from_texts({{name, text}}));
    });
  };
  for (const char* text : {"", "three", "3x", "3.5", "99999999999", " 3", "1e3", "none "}) {
    refused("n_apples", text);
  }
  for (const char* text : {"", "half", "0,5", "0.5.1"}) refused("ripeness", text);
  refused("taste", "bitter");
  refused("peeled", "maybe");
  refused("weights", "1,,2");
  refused("tastes", "sweet,bitter");
  refused("tastes", "");
  // A brace is no place for an option's name.
  refused("taste", "{memory_limit}");
}

RC_GTEST_PROP(Options, every_value_reads_back_from_its_text, ()) {
  FruitOptions options;
  options.peeled = *rc::gen::arbitrary<bool>();
  options.n_apples = *rc::gen::inRange(0, 1'000'000);
  options.ripeness = *rc::gen::arbitrary<double>();
  options.taste = *rc::gen::element(Taste::sweet, Taste::sour);
  options.most_sugar = *rc::gen::arbitrary<double>();
  RC_PRE(std::isfinite(options.ripeness) && std::isfinite(*options.most_sugar));
  GivenTexts texts;
  const auto write = [&](const FieldText& field, const auto& value) {
    texts[std::string(field.name)] = field_text(value);
  };
  visit_fields(std::as_const(options), write);
  texts.erase("garden");
  const FruitOptions back = from_texts(texts);
  RC_ASSERT(back.peeled == options.peeled);
  RC_ASSERT(back.n_apples == options.n_apples);
  RC_ASSERT(back.ripeness == options.ripeness);
  RC_ASSERT(back.taste == options.taste);
  RC_ASSERT(back.most_sugar == options.most_sugar);
  RC_ASSERT(back.weights == options.weights);
}

TEST(Options, one_that_a_grouping_does_not_have_is_refused_with_those_that_do) {
  expect_error(ErrorCode::invalid_option, {"theta", "components", "compact"}, [] {
    static_cast<void>(method_from_texts({{"grouping", "compact"}, {"theta", "0.5"}}));
  });
  expect_error(
      ErrorCode::invalid_option, {"representative", "compact and components", "cover"}, [] {
        static_cast<void>(method_from_texts({{"grouping", "cover"}, {"representative", "medoid"}}));
      });
  const MethodOptions options =
      method_from_texts({{"grouping", "components"}, {"theta", "0.25"}, {"max_angle", "20"}});
  EXPECT_EQ(std::get<ComponentOptions>(options.grouping).theta, 0.25);
}

TEST(Options, names_and_choices_of_the_whole_method_are_different_and_documented) {
  std::set<std::string> names;
  for (const FieldDescription& field : describe_method()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name << " is listed twice";
    EXPECT_FALSE(field.help.empty()) << field.name;
    std::set<std::string> choices;
    for (const auto& [name, help] : field.choices) EXPECT_TRUE(choices.insert(name).second) << name;
  }
}

std::set<std::string> documented_names() {
  std::set<std::string> names;
  for (const auto& list : cli::option_lists()) {
    for (const FieldDescription& field : list.fields) names.insert(field.name);
  }
  return names;
}

/// Names of several words that stand in a text, places for options aside.
std::vector<std::string> bare_names(const std::string& text, const std::set<std::string>& names) {
  const std::string rest = with_options_spelt(text, [](auto, auto) { return std::string(); });
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const bool is_there = rest.find(name) != std::string::npos;
    if (is_there && name.find('_') != std::string::npos) found.push_back(name);
  }
  return found;
}

TEST(Options, help_leaves_a_place_for_the_name_of_another_option) {
  const std::set<std::string> names = documented_names();
  for (const auto& list : cli::option_lists()) {
    for (const FieldDescription& field : list.fields) {
      EXPECT_EQ(bare_names(field.help, names), std::vector<std::string>{}) << field.name;
    }
  }
}

TEST(Options, whatever_a_public_header_lists_is_documented) {
  const std::set<std::string> names = documented_names();
  const std::regex listed(R"re(visit\(\s*\{(?:\.name = )?"([a-z0-9_]+)")re");
  std::size_t n_listed = 0;
  for (const auto& header : std::filesystem::directory_iterator(SFG_SOURCE_FOLDER "/include/sfg")) {
    if (header.path().filename() == "options.hpp") continue;  // its example
    const std::string text = read_file(header.path());
    for (std::sregex_iterator at(text.begin(), text.end(), listed), end; at != end; ++at) {
      EXPECT_TRUE(names.contains((*at)[1])) << (*at)[1] << " in " << header.path();
      ++n_listed;
    }
  }
  EXPECT_GT(n_listed, 60U);
}

TEST(Options, document_is_the_one_in_docs) {
  std::ifstream file(std::string(SFG_SOURCE_FOLDER) + "/docs/OPTIONS.md");
  const std::string stored((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
  EXPECT_EQ(stored, cli::options_document()) << "make options-doc writes it anew";
}

TEST(Options, old_spellings_of_the_command_line_still_work_and_are_noted) {
  const TemporaryFolder folder;
  const Program program(folder);
  ASSERT_EQ(program({"synth", "--samples", "40", "--features", "60", "-o", "t.npy"}).status, 0);
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> same{
      {{"--graph", "knn"}, {"--edges", "knn"}},
      {{"--graph", "ols"}, {"--pursuit", "ols"}},
      {{"--level", "knn"}, {"--min-overlap", "0.85"}},
      {{"--drop-empty", "--theta", "0.5"}, {"--no-keep-empty", "--theta", "0.5"}},
      {{"--grouping", "lcs", "--permutations", "0"},
       {"--grouping", "components", "--n-permutations", "0"}}};
  for (const auto& [old_words, new_words] : same) {
    std::vector<std::string> old_call{"reduce", "t.npy", "--json"};
    auto new_call = old_call;
    old_call.insert(old_call.end(), old_words.begin(), old_words.end());
    new_call.insert(new_call.end(), new_words.begin(), new_words.end());
    const ProgramRun old_run = program(old_call);
    const ProgramRun new_run = program(new_call);
    ASSERT_EQ(old_run.status, 0) << old_words.front() << old_run.err;
    EXPECT_EQ(old_run.json()["kept"], new_run.json()["kept"]);
    EXPECT_NE(old_run.err.find(old_words.front()), std::string::npos) << old_run.err;
    EXPECT_NE(old_run.err.find("old spelling"), std::string::npos) << old_run.err;
    EXPECT_EQ(new_run.err.find("old spelling"), std::string::npos) << new_run.err;
  }
}

}  // namespace
}  // namespace sfg::testing
