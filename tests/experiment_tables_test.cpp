// Tables, figures and published numbers beside ours.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/markup.hpp"
#include "helpers.hpp"
#include "python.hpp"
#include "report/panel.hpp"
#include "sfg/experiment.hpp"
#include "sfg/json.hpp"
#include "sfg/published.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

ExperimentCell cell(double nmi, double acc) {
  return {ExperimentScores{nmi, 0.01, acc, 0.02}, EigenStatus::converged, 0};
}

/// Two sizes and one theta; at theta there are too few features for the second size.
ExperimentResult result_named(const std::string& name) {
  ExperimentResult result;
  result.name = name;
  result.n_samples = 20;
  result.n_features = 30;
  result.n_classes = 2;
  result.angles = {0, 3, 14, 15, 16, 90};
  result.max_angle = 15;
  ExperimentTable table{GroupingKind::components, {10, 20}, {}};
  table.columns.push_back({std::nullopt, 30, cell(0.8, 0.9), {cell(0.5, 0.6), cell(0.7, 0.7)}});
  table.columns.push_back({0.5, 12, cell(0.81, 0.85), {cell(0.4999, 0.61), {}}});
  result.tables.push_back(table);
  return result;
}

TEST(ExperimentTables, markdown_marks_cells_that_reach_the_baseline_as_printed) {
  const std::string text = tables_to_markdown({result_named("faces")});
  EXPECT_NE(text.find("### faces, NMI (components, 20 samples, 2 classes)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| theta | none | 0.5 |\n"), std::string::npos);
  EXPECT_NE(text.find("| kept | 30 | 12 |\n"), std::string::npos);
  EXPECT_NE(text.find("| all kept | 0.800 | **0.810** |\n"), std::string::npos);
  EXPECT_NE(text.find("| 10 | 0.500 | **0.500** |\n"), std::string::npos);
  EXPECT_NE(text.find("| 20 | 0.700 | - |\n"), std::string::npos);
  EXPECT_NE(text.find("| all kept | 0.900 | 0.850 |\n"), std::string::npos);
}

TEST(ExperimentTables, csv_has_a_line_per_cell_and_nothing_where_there_is_no_score) {
  const std::string text = tables_to_csv({result_named("a, b")});
  EXPECT_EQ(std::ranges::count(text, '\n'), 7);
  EXPECT_NE(text.find("\n\"a, b\",components,none,30,,0.8,0.01,0.9,0.02,1,1\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\n\"a, b\",components,0.5,12,10,0.4999,0.01,0.61,0.02,1,1\n"),
            std::string::npos);
  EXPECT_NE(text.find("\n\"a, b\",components,0.5,12,20,,,,,,\n"), std::string::npos);
}

TEST(ExperimentTables, latex_has_bold_cells_and_escaped_names) {
  const std::string text = tables_to_latex({result_named("a_b & 50%")});
  EXPECT_NE(text.find("\\caption{a\\_b \\& 50\\%, NMI"), std::string::npos) << text;
  EXPECT_NE(text.find("all kept & 0.800 & \\textbf{0.810} \\\\\n"), std::string::npos);
  EXPECT_NE(text.find("{|l||c||*{1}{c}|}"), std::string::npos);
}

TEST(ExperimentTables, json_has_rows_by_size_and_columns_by_theta) {
  const auto table = tables_json({result_named("faces")}).at(0);
  EXPECT_EQ(table.at("theta").dump(), "[\"none\",0.5]");
  EXPECT_EQ(table.at("n_selected").dump(), "[null,10,20]");
  EXPECT_EQ(table.at("kept").dump(), "[30,12]");
  EXPECT_EQ(table.at("nmi").dump(), "[[0.8,0.81],[0.5,0.4999],[0.7,null]]");
  EXPECT_EQ(table.at("acc_std").dump(), "[[0.02,0.02],[0.02,0.02],[0.02,null]]");
}

TEST(Markup, keeps_names_what_they_are) {
  EXPECT_EQ(detail::xml_text("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
  EXPECT_EQ(detail::xml_text(std::string_view("\x01\xff\xef\xbf\xbf", 5)),
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(detail::markdown_text("a|b\n*c*"), "a\\|b \\*c\\*");
  EXPECT_EQ(detail::latex_text("\\x{$}"), "\\textbackslash{}x\\{\\$\\}");
  EXPECT_EQ(detail::csv_cell("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(detail::csv_cell("plain"), "plain");
}

TEST(Figures, scales_end_at_round_numbers_above_the_value) {
  for (const double value : {0.3, 1.0, 7.0, 33.0, 913.0, 1024.0, 10304.0, 999999.0}) {
    const detail::Scale scale = detail::scale_for(value);
    EXPECT_GE(scale.highest, value * (1 - 1e-12));
    EXPECT_LE(scale.highest, value * 2);
    EXPECT_LE(scale.highest / scale.step, 5 + 1e-9);
  }
  EXPECT_GT(detail::scale_for(0).step, 0);
}

TEST(Figures, have_a_panel_for_each_data_set_and_escape_their_names) {
  std::vector<ExperimentResult> results;
  for (int k = 0; k < 5; ++k) results.push_back(result_named("<set " + std::to_string(k) + ">"));
  for (const std::string& svg : {spectral_figure(results), angle_figure(results)}) {
    EXPECT_TRUE(svg.starts_with("<?xml"));
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    for (int k = 0; k < 5; ++k) {
      EXPECT_NE(svg.find(">&lt;set " + std::to_string(k) + "&gt;</text>"), std::string::npos);
    }
  }
  EXPECT_NE(angle_figure(results).find("66.7 % within 15"), std::string::npos);
}

TEST(Figures, are_well_formed_xml) {
  SFG_NEED_PYTHON(python, "xml.dom.minidom");
  const TemporaryFolder folder;
  folder.write("a.svg", spectral_figure({result_named("a \x02 & \xff")}));
  folder.write("b.svg", angle_figure({result_named("]]> --")}));
  testing::expect_python_succeeds(python, folder,
                                  "import xml.dom.minidom as m\n"
                                  "for name in 'ab': m.parse(name + '.svg')\n");
}

constexpr const char* kPublished =
    R"({"theta": ["none", 0.5], "datasets": {
        "Faces": {"counts": [30, 12], "n_selected": [10, 20], "nmi": [[0.4, 0.6], [0.7, null]],
                  "acc": [[0.6, 0.5], [0.7, null]]},
        "Genes": {"counts": [99, 12], "n_selected": [10], "nmi": [[0.4, 0.6]],
                  "acc": [[0.6, 0.5]]}}})";

TEST(Published, tables_are_compared_cell_by_cell) {
  const TemporaryFolder folder;
  const auto published = read_published(folder.write("p.json", kPublished));
  const auto comparison = compare_with_published(result_named("faces"), published);
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->published_name, "Faces");
  EXPECT_EQ(comparison->ours_counts, comparison->published_counts);
  EXPECT_EQ(comparison->cells.size(), 3U);
  EXPECT_EQ(comparison->baseline.n_cells, 2);
  EXPECT_NEAR(comparison->baseline.nmi, 0.05, 1e-12);
  EXPECT_EQ(comparison->after_removal.n_cells, 1);
  EXPECT_NEAR(comparison->after_removal.nmi, 0.1001, 1e-12);
  EXPECT_NEAR(comparison->after_removal.acc, 0.11, 1e-12);
  EXPECT_EQ(comparison->published_share_at_baseline, 1);
  const std::string text = comparison_to_markdown(*comparison);
  EXPECT_NE(text.find("| 10 | 0.50 / 0.40 | 0.50 / 0.60 |"), std::string::npos) << text;
}

TEST(Published, a_data_set_of_another_name_is_found_by_its_number_of_features) {
  const TemporaryFolder folder;
  const auto published = read_published(folder.write("p.json", kPublished));
  ExperimentResult result = result_named("warpFaces");
  EXPECT_EQ(compare_with_published(result, published)->published_name, "Faces");
  result.n_features = 31;
  EXPECT_FALSE(compare_with_published(result, published));
}

TEST(Published, files_that_are_not_of_the_form_are_refused_with_the_place) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& text, std::initializer_list<std::string_view> words) {
    const auto path = folder.write("p.json", text);
    expect_error(ErrorCode::malformed_input, words,
                 [&] { static_cast<void>(read_published(path)); });
  };
  refused("nothing", {"p.json", "not JSON"});
  refused("[]", {"'theta'"});
  refused(R"({"theta": ["some"], "datasets": {}})", {"some"});
  refused(R"({"theta": [0.5], "datasets": {"A": 3}})", {"'A'", "'counts'"});
  refused(R"({"theta": [0.5], "datasets": {"A": {"counts": [-1]}}})", {"'A'", "-1"});
  refused(R"({"theta": [0.5], "datasets": {"A": {"counts": [1, 2], "n_selected": []}}})",
          {"'A'", "2 counts for 1"});
  refused(R"({"theta": [0.5], "datasets": {"A": {"counts": [1], "n_selected": [5], "nmi": []}}})",
          {"'A'", "'nmi'", "1 lists of 1"});
  refused(R"({"theta": [0.5], "datasets":
              {"A": {"counts": [1], "n_selected": [5], "nmi": [["x"]]}}})",
          {"'A'", "\"x\""});
  expect_error(ErrorCode::cannot_read, {"absent.json"},
               [&] { static_cast<void>(read_published(folder / "absent.json")); });
}

}  // namespace
}  // namespace sfg
