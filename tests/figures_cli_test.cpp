// Pictures of results: what 'sfg reduce', 'sfg sweep' and 'sfg predict' draw is what they say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "program.hpp"
#include "report/method_figures/label.hpp"
#include "sfg/statistics.hpp"
#include "sfg/text.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::ProgramRun;
using testing::read_file;
using testing::TemporaryFolder;

class MethodFigures : public ::testing::Test {
 protected:
  MethodFigures() {
    EXPECT_EQ(sfg_({"synth", "-o", "t.csv", "--samples", "60", "--features", "80"}).status, 0);
    std::filesystem::remove(folder_ / "t.truth.tsv");
  }

  /// Draws into p.svg and returns the JSON document beside it.
  [[nodiscard]] nlohmann::json draw(std::vector<std::string> words) {
    for (const char* word : {"--plot", "p.svg", "--json", "--force"}) words.emplace_back(word);
    const ProgramRun run = sfg_(words);
    EXPECT_EQ(run.status, 0) << run.err;
    svg_ = read_file(folder_ / "p.svg");
    return run.json();
  }

  [[nodiscard]] bool says(const std::string& text) const {
    return svg_.find(">" + text + "<") != std::string::npos;
  }

  /// The middles of circles of this colour, in their order.
  [[nodiscard]] std::vector<std::pair<double, double>> circles(const std::string& colour) const {
    const std::regex circle("<circle cx=\"([0-9.]+)\" cy=\"([0-9.]+)\" r=\"3.5\" fill=\"" + colour);
    std::vector<std::pair<double, double>> found;
    for (std::sregex_iterator one(svg_.begin(), svg_.end(), circle), end; one != end; ++one) {
      found.emplace_back(std::stod((*one)[1]), std::stod((*one)[2]));
    }
    return found;
  }

  TemporaryFolder folder_;
  Program sfg_{folder_};
  std::string svg_;
};

/// Coordinates are the values, moved and scaled: by the first and the last of them.
void expect_drawn(const std::vector<double>& values, const std::vector<double>& drawn) {
  ASSERT_EQ(values.size(), drawn.size());
  ASSERT_NE(values.front(), values.back());
  const double scale = (drawn.back() - drawn.front()) / (values.back() - values.front());
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_NEAR(drawn[k], drawn.front() + scale * (values[k] - values.front()), 0.05) << k;
  }
}

TEST_F(MethodFigures, of_a_reduction_has_its_numbers_groups_and_levels) {
  const auto document = draw({"reduce", "t.csv"});
  EXPECT_TRUE(
      says("t: " + std::to_string(document.at("n_kept").get<int>()) + " of 80 features are kept"));
  std::size_t largest = 0;
  for (const auto& group : document.at("groups")) {
    largest = std::max(largest, group.at("members").size());
  }
  EXPECT_NE(svg_.find(">" + std::to_string(largest) + ", r\u00b2 "), std::string::npos);
  EXPECT_TRUE(says("median " + format_r2(document.at("r2cv_median"))));
  EXPECT_TRUE(
      says("chance: 95 % below " + format_r2(document.at("certificate").at("permuted").at("q95"))));
  EXPECT_TRUE(says("How far could it go?"));
}

TEST_F(MethodFigures, of_levels_stand_where_the_numbers_say) {
  for (const char* grouping : {"compact", "cover"}) {
    for (const char* command : {"sweep", "reduce"}) {
      const auto levels = draw({command, "t.csv", "--grouping", grouping}).at("levels");
      ASSERT_GE(levels.size(), 3U);
      auto drawn = circles("#0072b2");
      ASSERT_EQ(drawn.size(), levels.size() + 1) << "and one beside the name of the curve";
      drawn.pop_back();
      std::vector<double> across, overlap, kept, height;
      for (std::size_t k = 0; k < levels.size(); ++k) {
        across.push_back(drawn[k].first);
        height.push_back(drawn[k].second);
        kept.push_back(std::log(levels[k].at("n_kept").get<double>()));
        overlap.push_back(levels[k].at("overlap"));
      }
      expect_drawn(kept, across);
      expect_drawn(overlap, height);
    }
  }
}

TEST_F(MethodFigures, of_a_reduction_by_compact_and_by_cover_mark_the_same_answer_as_the_document) {
  const auto levels = draw({"sweep", "t.csv", "--grouping", "compact"}).at("levels");
  ASSERT_FALSE(levels.empty());
  for (const auto& level : levels) {
    const std::string mark = "the answer: " + std::to_string(level.at("n_kept").get<int>());
    EXPECT_EQ(says(mark), level.at("chosen").get<bool>());
  }
}

TEST_F(MethodFigures, of_thetas_tell_every_number) {
  const auto levels = draw({"sweep", "t.csv"}).at("levels");
  std::vector<double> kept;
  for (const auto& level : levels) {
    EXPECT_TRUE(says(std::to_string(level.at("n_kept").get<int>()))) << level;
    kept.insert(kept.begin(), level.at("n_kept").get<double>());
  }
  std::vector<double> height;
  for (const auto& [x, y] : circles("#0072b2")) height.push_back(y);
  expect_drawn(kept, height);
  EXPECT_EQ(draw({"reduce", "t.csv", "--theta", "0.3"}).at("theta"), 0.3);
  EXPECT_TRUE(says("theta 0.3"));
}

TEST_F(MethodFigures, of_what_features_know_have_the_median_and_what_chance_reaches) {
  const auto document = draw({"predict", "t.csv"});
  const auto by_chance = document.at("r2_by_chance").get<std::vector<double>>();
  auto known = document.at("r2").get<std::vector<double>>();
  std::erase(known, 0.0);  // of features that do not vary
  EXPECT_EQ(known.size(), 78U);
  EXPECT_EQ(by_chance.size(), known.size());
  EXPECT_TRUE(says("median " + format_r2(quantile(known, 0.5))));
  EXPECT_TRUE(says("chance: 95 % below " + format_r2(quantile(by_chance, 0.95))));
}

TEST_F(MethodFigures, of_pairs_show_groups_and_no_levels) {
  static_cast<void>(draw({"reduce", "t.csv", "--max-r2", "0.5"}));
  EXPECT_FALSE(says("How far could it go?"));
  EXPECT_NE(svg_.find("The largest of"), std::string::npos);
  const ProgramRun run = sfg_({"sweep", "t.csv", "--grouping", "pairwise", "--plot", "q.svg"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("pairwise has one level"), std::string::npos);
  EXPECT_EQ(sfg_.files(), (std::vector<std::string>{"p.svg", "t.csv"}));
}

TEST_F(MethodFigures, keep_names_harmless_and_short) {
  std::string text = "<script>alert(1)</script>&\x01," + std::string(400, 'x') + "end,b,c\n";
  for (int i = 0; i < 40; ++i) {
    const int a = (i * 7) % 11;
    const int b = (i * 5) % 13;
    text += fmt::format("{},{},{},{}\n", a, b, 2 * a + (i == 3), 3 * b + (i == 5));
  }
  folder_.write("h.csv", text);
  static_cast<void>(draw({"reduce", "h.csv", "--max-r2", "0.5"}));
  EXPECT_EQ(svg_.find("<script"), std::string::npos);
  EXPECT_NE(svg_.find("&lt;script"), std::string::npos);
  EXPECT_EQ(svg_.find('\x01'), std::string::npos);
  EXPECT_EQ(svg_.find(std::string(60, 'x')), std::string::npos);
  EXPECT_NE(svg_.find("\u2026xx"), std::string::npos);
  EXPECT_NE(svg_.find("xend<"), std::string::npos);
}

TEST_F(MethodFigures, are_refused_before_the_work_where_their_ending_names_no_format) {
  for (const char* command : {"reduce", "sweep", "predict", "stability"}) {
    for (const char* path : {"p.jpg", "p", "p.svg.gz", "folder/"}) {
      const ProgramRun run = sfg_({command, "not there.csv", "--plot", path});
      EXPECT_EQ(run.status, 2) << command << " " << path;
      EXPECT_NE(run.err.find("FILE.svg"), std::string::npos) << run.err;
    }
  }
  EXPECT_EQ(sfg_.files(), std::vector<std::string>{"t.csv"});
}

TEST_F(MethodFigures, go_to_standard_output_alone) {
  for (const char* command : {"reduce", "sweep", "predict"}) {
    const ProgramRun run = sfg_({command, "t.csv", "--plot", "-"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(run.out.starts_with("<?xml")) << run.out.substr(0, 100);
    EXPECT_TRUE(run.out.ends_with("</svg>\n"));
    EXPECT_EQ(sfg_({command, "t.csv", "--plot", "-", "--json"}).status, 2);
    EXPECT_EQ(sfg_({command, "t.csv", "--plot", "-", "-o", "-"}).status, 2);
  }
}

TEST_F(MethodFigures, appear_with_all_other_outputs_or_not_at_all) {
  folder_.write("flat.csv", "a,b\n1,2\n1,2\n1,2\n");
  EXPECT_NE(sfg_({"reduce", "flat.csv", "-o", "out", "--plot", "p.svg"}).status, 0);
  EXPECT_EQ(sfg_.files(), (std::vector<std::string>{"flat.csv", "t.csv"}));
  folder_.write("p.svg", "mine");
  EXPECT_EQ(sfg_({"reduce", "t.csv", "-o", "out", "--plot", "p.svg"}).status, 7);
  EXPECT_EQ(sfg_.files(), (std::vector<std::string>{"flat.csv", "p.svg", "t.csv"}));
  EXPECT_EQ(read_file(folder_ / "p.svg"), "mine");
  ASSERT_EQ(sfg_({"reduce", "t.csv", "-o", "out", "--plot", "p.svg", "--force"}).status, 0);
  EXPECT_TRUE(read_file(folder_ / "p.svg").starts_with("<?xml"));
  EXPECT_FALSE(read_file(folder_ / "out.kept.txt").empty());
}

TEST_F(MethodFigures, do_not_change_the_answer) {
  const auto with = draw({"reduce", "t.csv"});
  const auto without = sfg_({"reduce", "t.csv", "--json"}).json();
  for (const char* key : {"kept", "groups", "certificate", "verdict"}) {
    EXPECT_EQ(with.at(key), without.at(key)) << key;
  }
}

TEST_F(MethodFigures, are_png_where_that_can_be_made) {
  const bool can = sfg_({"--version", "--json"}).out.find("\"png\"") != std::string::npos;
  EXPECT_EQ(sfg_({"sweep", "t.csv", "--plot", "p.png"}).status, can ? 0 : 2);
  if (can) {
    EXPECT_TRUE(read_file(folder_ / "p.png").starts_with("\x89PNG\r\n"));
  }
}

TEST(Label, keeps_both_ends_of_a_long_name_and_whole_letters) {
  EXPECT_EQ(detail::short_name("short", 10, 100), "short");
  const std::string shown = detail::short_name("probe_" + std::string(100, '-') + "_17", 10, 60);
  EXPECT_TRUE(shown.starts_with("prob"));
  EXPECT_TRUE(shown.ends_with("_17"));
  EXPECT_LE(detail::text_width(shown, 10), 60);
  std::string wide;
  for (int k = 0; k < 50; ++k) wide += "\u6f22";
  const std::string few = detail::short_name(wide, 10, 60);
  EXPECT_LE(detail::text_width(few, 10), 60);
  EXPECT_EQ(few.find("\ufffd"), std::string::npos);
  EXPECT_EQ(detail::short_name("a\nb", 10, 100), "a\\nb");
}

}  // namespace
}  // namespace sfg
