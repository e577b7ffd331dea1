// Which line is the header and which column names the samples: real files of many kinds, each with
// the samples, features and names that a person sees in it.
#include <gtest/gtest.h>

#include <string>

#include "read_text.hpp"
#include "sfg/read.hpp"
#include "sfg/write.hpp"

namespace sfg {
namespace {

using Names = std::vector<std::string>;
using testing::read_text;
using testing::TemporaryFolder;

struct HeaderCase {
  std::string name;  ///< of the test
  std::string text;
  Index n_samples = 0;
  Names features;
  Names samples = {};
  bool is_noted = false;  ///< a note says what was assumed about the first line
};

std::string all_notes(const Dataset& dataset) {
  std::string text;
  for (const Note& note : dataset.notes) {
    text += message(note,
                    [](std::string_view field, std::string_view value) {
                      return std::string(field) + "=" + std::string(value);
                    }) +
            "\n";
  }
  return text;
}

class Header : public ::testing::TestWithParam<HeaderCase> {};

TEST_P(Header, is_what_a_person_sees) {
  const HeaderCase& wanted = GetParam();
  const Dataset data = read_text(wanted.text);
  EXPECT_EQ(n_samples(data.matrix), wanted.n_samples);
  EXPECT_EQ(data.feature_names, wanted.features);
  EXPECT_EQ(data.sample_names, wanted.samples);
  const bool is_noted = all_notes(data).find("first line is taken") != std::string::npos;
  EXPECT_EQ(is_noted, wanted.is_noted) << all_notes(data);
}

const Names kFour{"f0", "f1", "f2", "f3"};

const std::vector<HeaderCase> kCases{
    HeaderCase{
        "years_below_id", "id,2001,2002,2003\ns1,1,2,3\n", 1, {"2001", "2002", "2003"}, {"s1"}},
    HeaderCase{"wavelengths",
               "sample,400,402,404\nleaf,1.5,2,3\nbark,2,3.3,4\n",
               2,
               {"400", "402", "404"},
               {"leaf", "bark"}},
    HeaderCase{
        "pandas_text_index", ",0,1,2\ns1,5,3,8\ns2,1,1,2\n", 2, {"0", "1", "2"}, {"s1", "s2"}},
    HeaderCase{
        "pandas_counted_index", ",0,1,2\n0,5,3,8\n1,1,1,2\n", 2, {"0", "1", "2"}, {"0", "1"}},
    HeaderCase{"pandas_years", ",2001,2002\n0,5,3\n1,7,7\n", 2, {"2001", "2002"}, {"0", "1"}},
    HeaderCase{"pandas_time_index",
               ",a,b\n0.0,5,3\n0.1,7,7\n0.2,7,8\n",
               3,
               {"a", "b"},
               {"0.0", "0.1", "0.2"}},
    HeaderCase{"r_write_csv",
               "\"\",\"2001\",\"2002\"\n\"1\",5,3\n\"2\",7,7\n",
               2,
               {"2001", "2002"},
               {"1", "2"}},
    HeaderCase{
        "r_write_table", "\"a\" \"b\"\n\"r1\" 5 3\n\"r2\" 7 7\n", 2, {"a", "b"}, {"r1", "r2"}},
    HeaderCase{"r_write_table_years",
               "\"2001\" \"2002\"\n\"1\" 5.5 3\n\"2\" 7 7.2\n",
               2,
               {"2001", "2002"},
               {"1", "2"}},
    HeaderCase{"r_write_table_without_quotes",
               "2001 2002 2003\nr1 5 3 9\nr2 7 7 1\n",
               2,
               {"2001", "2002", "2003"},
               {"r1", "r2"}},
    HeaderCase{"quoted_ids", "\"1007\",\"1053\"\n7,8\n3,4\n", 2, {"1007", "1053"}},
    HeaderCase{"pandas_without_index",
               "0,1,2,3\n5.1,3.5,1.4,0.2\n4.9,3.0,1.4,0.2\n",
               2,
               {"0", "1", "2", "3"},
               {},
               true},
    HeaderCase{"years_alone",
               "2001,2002,2003,2004\n5,3,9,1\n6,6,2,8\n",
               2,
               {"2001", "2002", "2003", "2004"},
               {},
               true},
    HeaderCase{"decimal_wavelengths",
               "400.5,401,401.5,402\n5,3,9,1\n6,6,2,8\n",
               2,
               {"400.5", "401", "401.5", "402"},
               {},
               true},
    HeaderCase{"uneven_wavelengths",
               "350,352,357,360,368,399\n5,3,9,1,2,2\n6,6,2,8,1,1\n4,6,2,8,1,5\n6,3,2,8,4,1\n"
               "6,6,1,8,1,1\n",
               5,
               {"350", "352", "357", "360", "368", "399"},
               {},
               true},
    HeaderCase{"entrez_over_decimals",
               "1007,1053,117\n7.1,8.2,9.3\n7.4,8.1,9.9\n",
               2,
               {"1007", "1053", "117"},
               {},
               true},
    HeaderCase{"entrez_over_counts",
               "10071,10533,1170\n0,3,5\n1,0,17\n0,0,2\n",
               3,
               {"10071", "10533", "1170"},
               {},
               true},
    HeaderCase{"world_bank",
               "Country Name,Code,2001,2002\nAruba,ABW,1.5,2.5\nChad,TCD,3.5,0.5\n",
               2,
               {"2001", "2002"},
               {"Aruba", "Chad"}},
    HeaderCase{"names_that_are_words",
               "subject,400,410,420\nAnna,1,5,2\nBert,7,1,8\n",
               2,
               {"400", "410", "420"},
               {"Anna", "Bert"}},
    HeaderCase{"plain", "a,b\n1,2\n3,4\n", 2, {"a", "b"}},
    HeaderCase{"marked_by_a_hash", "# made by hand\n#a,b\n1,2\n3,4\n", 2, {"a", "b"}},
    HeaderCase{"none_iris",
               "5.1,3.5,1.4,0.2,setosa\n4.9,3.0,1.4,0.2,setosa\n7.0,3.2,4.7,1.4,versicolor\n", 3,
               kFour},
    HeaderCase{"none_named_rows", "s1,1,2\ns2,3,4\n", 2, {"f0", "f1"}, {"s1", "s2"}},
    HeaderCase{"none_dated_rows",
               "2004-03-10,1,2\n2004-03-11,3,4\n",
               2,
               {"f0", "f1"},
               {"2004-03-10", "2004-03-11"}},
    HeaderCase{"none_plain", "3,1,2\n4,7,6\n2,2,8\n", 3, {"f0", "f1", "f2"}},
    HeaderCase{"none_all_in_steps", "1,2,3,4\n5,6,7,8\n9,10,11,12\n", 3, kFour},
    HeaderCase{"none_with_a_gap_in_the_corner",
               ",2.5,3.1\n1.2,2.2,3.0\n1.1,2.9,3.3\n",
               3,
               {"f0", "f1", "f2"}},
    HeaderCase{"none_one_odd_cell",
               "5.1,<LOD,1.4,0.2\n4.9,3.0,1.3,0.2\n5.5,3.1,1.5,0.3\n5.0,2.9,1.4,0.1\n"
               "5.1,3.1,1.4,0.2\n4.9,3.0,1.3,0.2\n5.5,3.1,1.5,0.3\n5.0,2.9,1.4,0.1\n"
               "5.1,3.1,1.4,0.2\n4.9,3.0,1.3,0.2\n",
               10,
               kFour,
               {},
               true},
    HeaderCase{
        "open_few_in_order", "2,4,6\n5,3,9\n6,6,2\n7,1,4\n", 4, {"f0", "f1", "f2"}, {}, true}};

INSTANTIATE_TEST_SUITE_P(Files, Header, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(HeaderOption, overrules_the_guess_either_way) {
  ReadOptions options;
  options.header = false;
  EXPECT_EQ(n_samples(read_text("0,1,2,3\n5.1,3.5,1.4,0.2\n", options).matrix), 2);
  options.header = true;
  const Dataset data = read_text("3,1,2\n4,7,6\n", options);
  EXPECT_EQ(data.feature_names, (Names{"3", "1", "2"}));
  EXPECT_TRUE(data.notes.empty()) << all_notes(data);
}

TEST(HeaderOption, names_that_are_expected_make_a_header) {
  ReadOptions options;
  EXPECT_EQ(read_text("7,3\n4,1\n2,2\n", options).name_source, NameSource::generated);
  options.known_names = {"3", "7"};
  EXPECT_EQ(read_text("7,3\n4,1\n2,2\n", options).feature_names, (Names{"7", "3"}));
}

TEST(HeaderNote, names_the_option_that_changes_it) {
  const auto notes = all_notes(read_text("0,1,2,3\n5.1,3.5,1.4,0.2\n"));
  EXPECT_NE(notes.find("header=false"), std::string::npos) << notes;
  const auto open = all_notes(read_text("2,4,6\n5,3,9\n6,6,2\n7,1,4\n"));
  EXPECT_NE(open.find("header=true"), std::string::npos) << open;
}

TEST(FirstColumn, with_equal_values_is_no_name_but_a_column_of_texts) {
  const Dataset data = read_text("sex,a,b\nmale,1,2\nfemale,3,4\nmale,5,6\n");
  EXPECT_TRUE(data.sample_names.empty());
  ASSERT_EQ(data.texts.size(), 1U);
  EXPECT_EQ(data.texts[0].name, "sex");
  EXPECT_EQ(data.texts[0].kind, TextKind::category);
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
  EXPECT_NE(all_notes(data).find("sex has equal values"), std::string::npos) << all_notes(data);
}

TEST(FirstColumn, with_decimal_commas_is_a_feature) {
  const Dataset data = read_text("a;b\n1,5;2\n2,5;3\n1,5;7\n");
  EXPECT_TRUE(data.sample_names.empty());
  EXPECT_EQ(std::get<DenseMatrix>(data.matrix)(0, 0), 1.5);
  EXPECT_NE(all_notes(data).find("decimal commas"), std::string::npos) << all_notes(data);
}

TEST(FirstColumn, without_a_heading_is_never_a_feature) {
  const Dataset data = read_text(",a,b\n0,1,2\n1,3,4\n0,5,6\n");
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
  EXPECT_TRUE(data.sample_names.empty());
}

/// Writes and reads again.
Dataset there_and_back(const Dataset& data) {
  const TemporaryFolder folder;
  write_dataset(data, folder / "x.csv", Format::csv);
  return read_dataset(folder / "x.csv", {});
}

TEST(OwnCsv, names_that_are_numbers_are_read_back_as_names) {
  Dataset data = read_text("a,b,c\n1,2,3\n4,5,7\n7,8,1\n");
  data.feature_names = {"1007", "1053", "117"};
  const Dataset back = there_and_back(data);
  EXPECT_EQ(back.feature_names, data.feature_names);
  EXPECT_EQ(n_samples(back.matrix), 3);
  data.sample_names = {"10", "7", "33"};
  EXPECT_EQ(there_and_back(data).sample_names, data.sample_names);
  EXPECT_EQ(there_and_back(data).feature_names, data.feature_names);
  data.feature_names = {"NA", "nan", "True"};
  EXPECT_EQ(there_and_back(data).feature_names, data.feature_names);
}

TEST(OwnCsv, labels_are_known_again) {
  for (const Names& values :
       {Names{"1", "2", "1"}, Names{"x", "y", "a, b"}, Names{"1", "", "NA"}}) {
    Dataset data = read_text("a,b,c\n1,2,3\n4,5,7\n7,8,1\n");
    data.labels = Labels{"class", values};
    const Dataset back = there_and_back(data);
    ASSERT_TRUE(back.labels);
    EXPECT_EQ(back.labels->name, "class");
    EXPECT_EQ(back.labels->values, values);
    EXPECT_EQ(back.feature_names, (Names{"a", "b", "c"}));
  }
}

TEST(OwnCsv, columns_that_are_not_numbers_come_along) {
  const Dataset data = read_text("a,day,b\n1,2004-03-10,2\n4,2004-03-10,5\n");
  const Dataset back = there_and_back(data);
  EXPECT_EQ(back.feature_names, (Names{"a", "b"}));
  ASSERT_EQ(back.texts.size(), 1U);
  EXPECT_EQ(back.texts[0].values, data.texts[0].values);
  EXPECT_EQ(back.texts[0].kind, TextKind::date);
}

TEST(OthersCsv, a_last_column_of_texts_in_quotes_among_quoted_headings_is_no_label) {
  const Dataset data = read_text("\"a\",\"b\",\"kind\"\n1,2,\"x\"\n4,5,\"y\"\n");
  EXPECT_FALSE(data.labels);
  ASSERT_EQ(data.texts.size(), 1U);
}

}  // namespace
}  // namespace sfg
