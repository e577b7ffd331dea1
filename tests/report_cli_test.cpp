// `sfg report` as a script sees it; web/tests opens its pages in a browser.
#include <gtest/gtest.h>

#include "helpers.hpp"
#include "program.hpp"
#include "sfg/report.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::Program;
using testing::ProgramRun;
using testing::read_file;
using testing::TemporaryFolder;

constexpr const char* kReportTable =
    "a,b,c,<script>alert(1)</script>\n1,2,5,1\n2,4,1,0\n3,6,7,4\n-1,-2,2,9\n4,8,0,2\n";

class ReportCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!report_is_possible()) GTEST_SKIP() << "built without the report page";
    folder_.write("t.csv", kReportTable);
  }
  TemporaryFolder folder_;
  Program sfg_{folder_};
};

TEST_F(ReportCommand, writes_one_page_that_names_nothing_outside_itself) {
  const ProgramRun run = sfg_({"report", "t.csv", "-o", "page.html", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json().at("command"), "report");
  EXPECT_EQ(run.json().at("n_features"), 4);
  const std::string page = read_file(folder_ / "page.html");
  EXPECT_EQ(run.json().at("output_bytes"), page.size());
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_EQ(page.find("alert(1)"), std::string::npos);
  for (const char* outside : {"src=\"http", "href=\"http", "@import", "<link rel=\"stylesheet\""}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
}

TEST_F(ReportCommand, keeps_the_same_features_for_any_number_of_threads) {
  const auto one = sfg_({"report", "t.csv", "-o", "1.html", "--threads", "1", "--json"}).json();
  const auto three = sfg_({"report", "t.csv", "-o", "3.html", "--threads", "3", "--json"}).json();
  EXPECT_EQ(one.at("kept"), three.at("kept"));
}

TEST_F(ReportCommand, refuses_what_a_page_cannot_show_and_leaves_no_file) {
  const std::vector<std::pair<std::vector<std::string>, int>> cases{
      {{"report", "t.csv"}, 2},
      {{"report", "t.csv", "-o", "p.html", "--max-r2", "0.8"}, 2},
      {{"report", "t.csv", "-o", "p.html", "--theta", "0.5", "--representative", "medoid"}, 2},
      {{"report", "t.csv", "-o", "p.html", "--image", "2by2"}, 2},
      {{"report", "t.csv", "-o", "p.html", "--image", "2x0"}, 2},
      {{"report", "t.csv", "-o", "p.html", "--pixel-order", "rows"}, 2},
      {{"report", "t.csv", "-o", "p.html", "--scores"}, 2},
      {{"report", "t.csv", "-o", "p.html", "--seeds", "0"}, 2},
      {{"report", "t.csv", "-o", "p.html", "--journal-after", "-1"}, 2},
      {{"report", "t.csv", "-o", "p.html", "--image", "3x3"}, 5},
      {{"report", "absent.csv", "-o", "p.html"}, 3},
      {{"report", "t.csv", "-o", "absent/p.html"}, 7},
  };
  for (const auto& [words, status] : cases) {
    const ProgramRun run = sfg_(words);
    EXPECT_EQ(run.status, status) << run.err;
    EXPECT_FALSE(run.err.empty());
    EXPECT_FALSE(std::filesystem::exists(folder_ / "p.html"));
  }
}

TEST_F(ReportCommand, of_cover_keeps_what_reduce_keeps) {
  const ProgramRun run =
      sfg_({"report", "t.csv", "-o", "page.html", "--grouping", "cover", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto reduced = sfg_({"reduce", "t.csv", "--grouping", "cover", "--json"}).json();
  EXPECT_EQ(run.json().at("kept"), reduced.at("kept"));
}

TEST_F(ReportCommand, does_not_replace_a_page_unless_told) {
  ASSERT_EQ(sfg_({"report", "t.csv", "-o", "page.html"}).status, 0);
  EXPECT_EQ(sfg_({"report", "t.csv", "-o", "page.html"}).status, 7);
  EXPECT_EQ(sfg_({"report", "t.csv", "-o", "page.html", "--force"}).status, 0);
}

TEST(ImageShape, is_height_by_width) {
  const ImageShape shape = image_shape_from_text("112x92");
  EXPECT_EQ(shape.height, 112);
  EXPECT_EQ(shape.width, 92);
  for (const char* text : {"", "x", "12", "12x", "x12", "0x3", "-1x3", "3x3x3", "3 x 3", "1e3x2"}) {
    expect_error(ErrorCode::invalid_option, {"HEIGHTxWIDTH"},
                 [&] { (void)image_shape_from_text(text); });
  }
}

}  // namespace
}  // namespace sfg
