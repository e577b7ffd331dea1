// Names that want to be more than names: whatever a file calls its features, in our output they are
// text. Where there is a reader of the format by somebody else, it reads them back.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/markup.hpp"
#include "helpers.hpp"
#include "io/npy.hpp"
#include "program.hpp"
#include "python.hpp"
#include "sfg/dataset.hpp"
#include "sfg/graph.hpp"
#include "sfg/read.hpp"
#include "sfg/report.hpp"
#include "sfg/write.hpp"

namespace sfg {
namespace {

using testing::expect_python_succeeds;
using testing::Program;
using testing::ProgramRun;
using testing::read_file;
using testing::TemporaryFolder;

/// As Python writes them, so that scripts can compare; all different, none with blanks around it.
constexpr const char* kPythonNames =
    R"py(["=cmd()", "+1+1", "-2+3", "@SUM(A1)", "a\tb", "line\nend", "car\rriage", 'quote"s', "it's",
 "semi;colon", "com,ma", "</script><script>alert(1)</script>", "<!--", "&amp;", "]]>", "a|b",
 "back\\slash", "\\n", "../../x", "$x^2_3%#{}~", "[a](b)`c`*d*", "\x01\x1b[31m", "\u00fc\u4e2d\U0001f600",
 "\u202eright", "\ufeffmark"])py";

const std::vector<std::string> kNames{"=cmd()",
                                      "+1+1",
                                      "-2+3",
                                      "@SUM(A1)",
                                      "a\tb",
                                      "line\nend",
                                      "car\rriage",
                                      "quote\"s",
                                      "it's",
                                      "semi;colon",
                                      "com,ma",
                                      "</script><script>alert(1)</script>",
                                      "<!--",
                                      "&amp;",
                                      "]]>",
                                      "a|b",
                                      "back\\slash",
                                      "\\n",
                                      "../../x",
                                      "$x^2_3%#{}~",
                                      "[a](b)`c`*d*",
                                      "\x01\x1b[31m",
                                      "\u00fc\u4e2d\U0001f600",
                                      "\u202eright",
                                      "\ufeffmark"};

/// As many features, no two alike.
Dataset hostile_data() {
  constexpr Index kSamples = 30;
  const auto d = static_cast<Index>(kNames.size());
  DenseMatrix matrix(kSamples, d);
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i < kSamples; ++i) {
      matrix(i, j) = (i * (j / 2 + 3) * 7 + j / 2 * i * i) % 31 + (j % 2) * (i % 2) * 0.01;
    }
  }
  Dataset dataset;
  dataset.matrix = std::move(matrix);
  dataset.feature_names = kNames;
  dataset.name_source = NameSource::file;
  return dataset;
}

class HostileNames : public ::testing::Test {
 protected:
  void SetUp() override { write_dataset(hostile_data(), folder_ / "t.csv", Format::csv); }

  std::size_t n_files_outside() const {
    const auto parent = folder_.path().parent_path();
    return static_cast<std::size_t>(std::filesystem::exists(parent / "x")) +
           static_cast<std::size_t>(std::filesystem::exists(parent.parent_path() / "x"));
  }

  const TemporaryFolder folder_;
  const Program sfg_{folder_};
};

TEST_F(HostileNames, come_back_from_csv_tsv_and_mat_as_they_were) {
  for (const char* name : {"u.csv", "u.tsv", "u.mat"}) {
#ifndef SFG_WITH_MAT
    if (std::string(name) == "u.mat") continue;
#endif
    write_dataset(hostile_data(), folder_ / name, format_from_path(name));
    EXPECT_EQ(read_dataset(folder_ / name, {}).feature_names, kNames) << name;
  }
}

TEST_F(HostileNames, are_read_by_the_csv_module_of_python) {
  SFG_NEED_PYTHON(python, "csv");
  write_dataset(hostile_data(), folder_ / "t.tsv", Format::tsv);
  expect_python_succeeds(python, folder_,
                         std::string("import csv\nnames = ") + kPythonNames +
                             "\nfor file, mark in (('t.csv', ','), ('t.tsv', '\\t')):\n"
                             "    with open(file, newline='', encoding='utf-8') as text:\n"
                             "        rows = list(csv.reader(text, delimiter=mark))\n"
                             "    assert rows[0] == names, (rows[0], names)\n"
                             "    assert all(len(row) == len(names) for row in rows)\n");
}

TEST_F(HostileNames, stay_in_their_cells_in_every_file_of_a_reduction) {
  const ProgramRun run = sfg_({"reduce", "t.csv", "--theta", "0.3", "-o", "out", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json()["n_features"], kNames.size());
  for (const char* name : {"out.kept.txt", "out.removed.tsv", "out.groups.tsv"}) {
    const std::string text = read_file(folder_ / name);
    const std::string first = text.substr(0, text.find('\n'));
    const auto n_tabs = std::ranges::count(first, '\t');
    std::size_t begin = 0;
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
      const std::string line = text.substr(begin, end - begin);
      EXPECT_EQ(std::ranges::count(line, '\t'), n_tabs) << name << ": " << line;
      begin = end + 1;
    }
    // No control characters: not in a terminal either.
    EXPECT_TRUE(std::ranges::none_of(text, [](char c) {
      return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
    })) << name;
  }
  EXPECT_EQ(n_files_outside(), 0U);
}

TEST_F(HostileNames, of_our_own_list_are_found_again) {
  ASSERT_EQ(sfg_({"reduce", "t.csv", "--theta", "0.3", "-o", "out", "-q"}).status, 0);
  const ProgramRun run = sfg_({"cluster", "t.csv", "-k", "2", "--features", "out.kept.txt", "-q"});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST_F(HostileNames, survive_the_model_file) {
  ASSERT_EQ(sfg_({"reduce", "t.csv", "--theta", "0.3", "-o", "out", "-q"}).status, 0);
  const auto model = nlohmann::json::parse(read_file(folder_ / "out.model.json"));
  EXPECT_EQ(model["feature_names"].get<std::vector<std::string>>(), kNames);
  const ProgramRun run = sfg_({"explain", "out.model.json", "line\nend", "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json()["feature"], "line\nend");
}

TEST_F(HostileNames, like_formulas_are_kept_and_announced) {
  const ProgramRun run = sfg_({"reduce", "t.csv", "--theta", "0.3", "-o", "out"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("4 feature names"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("formulas"), std::string::npos) << run.err;
}

TEST_F(HostileNames, are_read_back_from_graphml_and_npz_by_others) {
  ASSERT_EQ(sfg_({"graph", "t.csv", "-o", "g.npz", "-q"}).status, 0);
  ASSERT_EQ(sfg_({"graph", "t.csv", "-o", "g.graphml", "-q"}).status, 0);
  EXPECT_EQ(load_graph(folder_ / "g.npz").feature_names, kNames);
  SFG_NEED_PYTHON(python, "numpy");
  expect_python_succeeds(
      python, folder_,
      std::string("import numpy, xml.etree.ElementTree as tree\nnames = ") + kPythonNames +
          "\nassert list(numpy.load('g.npz')['feature_names']) == names\n"
          "space = '{http://graphml.graphdrawing.org/xmlns}'\n"
          "nodes = tree.parse('g.graphml').getroot().iter(space + 'node')\n"
          "found = [node.find(space + 'data').text for node in nodes]\n"
          "# XML 1.0 cannot hold the two control characters.\n"
          "wanted = [n.replace('\\x01', '\\ufffd').replace('\\x1b', '\\ufffd') for n in names]\n"
          "assert found == wanted, (found, wanted)\n");
}

TEST_F(HostileNames, do_not_leave_the_script_of_the_report) {
  if (!report_is_possible()) GTEST_SKIP() << "built without the report page";
  const ProgramRun run = sfg_({"report", "t.csv", "-o", "r.html", "-q"});
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string page = read_file(folder_ / "r.html");
  // The names are packed: nothing of them is in the page for a browser to take for markup.
  EXPECT_EQ(page.find("alert(1)"), std::string::npos);
  Dataset harmless = hostile_data();
  harmless.feature_names = generated_names(n_features(harmless.matrix));
  write_dataset(harmless, folder_ / "h.csv", Format::csv);
  ASSERT_EQ(sfg_({"report", "h.csv", "-o", "h.html", "-q"}).status, 0);
  const auto n_tags = [](const std::string& text) { return std::ranges::count(text, '<'); };
  EXPECT_EQ(n_tags(page), n_tags(read_file(folder_ / "h.html")));
}

TEST_F(HostileNames, of_data_sets_are_text_in_tables_and_figures) {
  const std::string name = "=a<b>&|_$%{}\\.csv";
  std::filesystem::copy_file(folder_ / "t.csv", folder_ / name);
  std::string labels;
  for (int i = 0; i < 30; ++i) labels += i % 2 == 0 ? "u\n" : "v\n";
  folder_.write("labels.txt", labels);
  const ProgramRun run = sfg_(
      {"experiment", name, "--labels", "labels.txt", "--seeds", "1", "-o", "exp", "-q", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json()["tables"][0]["name"], "=a<b>&|_$%{}\\");
  bool any_svg = false;
  SFG_NEED_PYTHON(python, "csv");
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path())) {
    if (file.path().extension() != ".svg") continue;
    any_svg = true;
    expect_python_succeeds(
        python, folder_,
        "import xml.etree.ElementTree as tree\ntree.parse(r'''" + file.path().string() + "''')\n");
  }
  EXPECT_TRUE(any_svg);
}

TEST(CsvCell, has_no_nul) {
  EXPECT_EQ(detail::csv_cell(std::string_view("a\0b", 3)),
            "\"a\xEF\xBF\xBD"
            "b\"");
}

TEST(Markup, is_text_in_latex_and_markdown) {
  EXPECT_EQ(detail::latex_text("\\input{/etc/passwd}"), "\\textbackslash{}input\\{/etc/passwd\\}");
  EXPECT_EQ(detail::latex_text("a\nb%c"), "a b\\%c");
  EXPECT_EQ(detail::markdown_text("[x](javascript:1)|<img>\n"),
            "\\[x\\](javascript:1)\\|&lt;img&gt; ");
}

}  // namespace
}  // namespace sfg
