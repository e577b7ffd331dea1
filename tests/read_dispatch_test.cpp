#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>
#include <string>

#include "gzip.hpp"
#include "helpers.hpp"
#include "io/input_bytes.hpp"
#include "read/formats.hpp"
#include "read/readers.hpp"
#include "sfg/read.hpp"
#include "sfg/write.hpp"

namespace sfg {
namespace {

using Names = std::vector<std::string>;
using testing::expect_error;
using testing::packed;
using testing::TemporaryFolder;

/// While it lives, standard input comes from a file.
class StandardInputFrom {
 public:
  explicit StandardInputFrom(const std::filesystem::path& path) : before_(dup(STDIN_FILENO)) {
    std::FILE* file = std::fopen(path.c_str(), "r");
    dup2(fileno(file), STDIN_FILENO);
    std::fclose(file);
  }
  ~StandardInputFrom() {
    dup2(before_, STDIN_FILENO);
    close(before_);
  }
  StandardInputFrom(const StandardInputFrom&) = delete;
  StandardInputFrom& operator=(const StandardInputFrom&) = delete;

 private:
  int before_;
};

TEST(Formats, names_and_formats_are_inverse) {
  for (const auto format : {Format::csv, Format::tsv, Format::npy, Format::mat,
                            Format::matrix_market, Format::svmlight, Format::h5ad}) {
    EXPECT_EQ(choice_from_name<Format>(choice_name(format), "format"), format);
  }
  EXPECT_EQ(choice_name(Format::matrix_market), "mtx");
  expect_error(ErrorCode::invalid_option, {"excel", "csv, tsv, npy, mat, mtx, svmlight, h5ad"},
               [] { (void)choice_from_name<Format>("excel", "format"); });
}

TEST(Formats, are_told_by_the_ending_with_or_without_gz) {
  EXPECT_EQ(format_from_path("a/b.CSV"), Format::csv);
  EXPECT_EQ(format_from_path("b.csv.gz"), Format::csv);
  EXPECT_EQ(format_from_path("b.tsv"), Format::tsv);
  EXPECT_EQ(format_from_path("matrix.mtx.gz"), Format::matrix_market);
  EXPECT_EQ(format_from_path("b.libsvm"), Format::svmlight);
  EXPECT_EQ(format_from_path("b.h5ad"), Format::h5ad);
  EXPECT_EQ(format_from_path("b.txt"), Format::automatic);
  EXPECT_EQ(format_from_path("-"), Format::automatic);
  EXPECT_EQ(format_from_path(""), Format::automatic);
}

TEST(Formats, are_told_by_the_first_bytes) {
  using detail::format_from_bytes;
  EXPECT_EQ(format_from_bytes("\x93NUMPY\x01"), Format::npy);
  EXPECT_EQ(format_from_bytes("\x89HDF\r\n\x1a\n"), Format::h5ad);
  EXPECT_EQ(format_from_bytes("MATLAB 5.0 MAT-file, x"), Format::mat);
  EXPECT_EQ(format_from_bytes("%%MatrixMarket matrix"), Format::matrix_market);
  EXPECT_EQ(format_from_bytes("\xef\xbb\xbf%%MatrixMarket matrix"), Format::matrix_market);
  EXPECT_EQ(format_from_bytes("# c\n+1 1:0.5 3:2\n"), Format::svmlight);
  EXPECT_EQ(format_from_bytes("1,2\n"), Format::csv);
  EXPECT_EQ(format_from_bytes("12:30 1:2\n"), Format::csv);
  EXPECT_EQ(format_from_bytes("a\tb\n"), Format::tsv);
  EXPECT_EQ(format_from_bytes(""), Format::csv);
}

TEST(Input, gzip_is_told_by_its_bytes_whatever_the_name) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.csv", packed("a,b\n1,2\n"));
  EXPECT_EQ(read_dataset(path, {}).feature_names, (Names{"a", "b"}));
}

TEST(Input, gzip_files_of_several_members_are_read_whole) {
  const TemporaryFolder folder;
  const auto path =
      folder.write("x.csv.gz", packed("a,b\n1,2\n") + packed("3,4\n") + std::string(512, '\0'));
  EXPECT_EQ(n_samples(read_dataset(path, {}).matrix), 2);
}

TEST(Input, broken_gzip_files_are_refused) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 10000; ++i) text += std::to_string(i * 7919 % 10007) + ",2\n";
  const auto whole = packed(text);
  const auto read = [&](const std::string& bytes) {
    return [&folder, bytes] { (void)read_dataset(folder.write("x.csv.gz", bytes), {}); };
  };
  for (const std::size_t length :
       {std::size_t{2}, std::size_t{11}, whole.size() / 2, whole.size() - 1}) {
    expect_error(ErrorCode::malformed_input, {"x.csv.gz", "too early"},
                 read(whole.substr(0, length)));
  }
  expect_error(ErrorCode::malformed_input, {"x.csv.gz", "not gzip"}, read(whole + "garbage"));
  auto changed = whole;
  changed[changed.size() - 6] = static_cast<char>(changed[changed.size() - 6] ^ 1);
  expect_error(ErrorCode::malformed_input, {"x.csv.gz", "broken"}, read(changed));
}

TEST(Input, unpacking_respects_the_memory_limit) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.csv.gz", packed(std::string(20000000, '1')));
  sfg::RunContext run;
  run.memory_limit = 5000000;
  expect_error(ErrorCode::over_memory, {"x.csv.gz", "5.0 MB"},
               [&] { (void)read_dataset(path, {}, run); });
}

TEST(Input, what_cannot_be_opened_is_named) {
  const TemporaryFolder folder;
  expect_error(ErrorCode::cannot_read, {"none.csv", "No such file"},
               [&] { (void)read_dataset(folder / "none.csv", {}); });
  expect_error(ErrorCode::cannot_read, {"is a folder"},
               [&] { (void)read_dataset(folder.path(), {}); });
}

TEST(Input, a_dash_is_standard_input) {
  const TemporaryFolder folder;
  const StandardInputFrom redirected(folder.write("x", packed("a\tb\n1\t2\n")));
  const auto data = read_dataset("-", {});
  EXPECT_EQ(data.source, "-");
  EXPECT_EQ(data.format, Format::tsv);
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
}

TEST(Input, messages_call_standard_input_by_its_name) {
  const TemporaryFolder folder;
  const StandardInputFrom redirected(folder.write("x", "a,b\n1\n"));
  expect_error(ErrorCode::malformed_input, {"standard input", "line 2"},
               [] { (void)read_dataset("-", {}); });
}

#ifdef SFG_WITH_MAT
TEST(Input, formats_that_need_a_path_may_come_packed_or_through_a_pipe) {
  const TemporaryFolder folder;
  const auto table = read_dataset(folder.write("x.csv", "a,b\n1,2\n3,4\n"), {});
  write_dataset(table, folder / "x.mat", Format::mat);
  const auto bytes = testing::read_file(folder / "x.mat");
  EXPECT_EQ(read_dataset(folder.write("packed", packed(bytes)), {}).feature_names,
            table.feature_names);
  {
    const StandardInputFrom redirected(folder / "x.mat");
    const auto data = read_dataset("-", {});
    EXPECT_EQ(data.format, Format::mat);
    EXPECT_EQ(data.feature_names, table.feature_names);
  }
  const StandardInputFrom broken(folder.write("y.mat", bytes.substr(0, bytes.size() / 2)));
  expect_error(ErrorCode::malformed_input, {"standard input"}, [] { (void)read_dataset("-", {}); });
}
#endif

TEST(Lines, come_without_line_ends_and_blank_lines) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_lines(folder.write("x",
                                    "\xef\xbb\xbf"
                                    "a\r\n\n b c \r\nd")),
            (Names{"a", "b c", "d"}));
  EXPECT_TRUE(read_lines(folder.write("y", "")).empty());
  expect_error(ErrorCode::cannot_read, {"none"}, [&] { (void)read_lines(folder / "none"); });
}

TEST(Names, duplicates_are_refused_with_the_first_pair) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.csv", "a,b,c,b,a\n1,2,3,4,5\n");
  expect_error(ErrorCode::inconsistent_input, {"x.csv", "features 2 and 4", "\"b\""},
               [&] { (void)read_dataset(path, {}); });
}

TEST(Names, suffixes_make_duplicates_different_without_new_clashes) {
  const TemporaryFolder folder;
  ReadOptions options;
  options.suffix_duplicates = true;
  const auto path = folder.write("x.csv", "a,a,a_2,a,a_2,f6,\n1,2,3,4,5,6,7\n");
  EXPECT_EQ(read_dataset(path, options).feature_names,
            (Names{"a", "a_3", "a_2", "a_4", "a_2_2", "f6", "f6_2"}));
}

TEST(LabelsOption, a_file_of_labels_is_read_if_no_column_has_the_name) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.csv", "a,b\n1,2\n3,4\n");
  ReadOptions options;
  options.labels = folder.write("classes.txt", "x\ny z\n").string();
  const auto data = read_dataset(path, options);
  ASSERT_TRUE(data.labels);
  EXPECT_EQ(data.labels->name, "classes");
  EXPECT_EQ(data.labels->values, (Names{"x", "y z"}));
}

TEST(LabelsOption, a_file_of_the_wrong_length_is_refused_with_both_numbers) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.csv", "a,b\n1,2\n3,4\n");
  ReadOptions options;
  options.labels = folder.write("classes.txt", "x\ny\nz\n").string();
  expect_error(ErrorCode::inconsistent_input, {"classes.txt", "3 labels", "x.csv", "2 samples"},
               [&] { (void)read_dataset(path, options); });
}

TEST(LabelsOption, a_name_of_nothing_is_refused_with_both_attempts) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.csv", "a,b\n1,2\n3,4\n");
  ReadOptions options;
  for (const std::string& name : {std::string("klass"), folder.path().string()}) {
    options.labels = name;
    expect_error(ErrorCode::inconsistent_input, {"x.csv", name.substr(0, 5), "column", "file"},
                 [&] { (void)read_dataset(path, options); });
  }
}

TEST(LabelsOption, a_file_replaces_the_labels_inside_svmlight) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.svm", "1 1:1\n2 1:1\n");
  ReadOptions options;
  options.labels = folder.write("y.txt", "u\nv\n").string();
  EXPECT_EQ(read_dataset(path, options).labels->values, (Names{"u", "v"}));
  options.labels = "label";
  EXPECT_EQ(read_dataset(path, options).labels->values, (Names{"1", "2"}));
}

TEST(CheckSize, refuses_what_is_out_of_range_or_not_a_number) {
  const auto check = [](double rows, double columns, double entries, std::size_t limit) {
    sfg::RunContext run;
    run.memory_limit = limit;
    detail::check_size("X.npy", rows, columns, entries, sizeof(double), run);
  };
  EXPECT_NO_THROW(check(10, 10, 100, 800));
  expect_error(ErrorCode::over_memory, {"X.npy", "800 B", "799 B"},
               [&] { check(10, 10, 100, 799); });
  expect_error(ErrorCode::malformed_input, {"X.npy", "range"}, [&] { check(3e9, 1, 1, 0); });
  expect_error(ErrorCode::malformed_input, {"X.npy", "range"}, [&] { check(1, -1, 1, 0); });
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_error(ErrorCode::malformed_input, {"X.npy"}, [&] { check(nan, 1, 1, 0); });
  expect_error(ErrorCode::over_memory, {"X.npy"}, [&] { check(1, 1, nan, 0); });
  expect_error(ErrorCode::over_memory, {"X.npy", "machine"}, [&] { check(1, 1, 1e18, 0); });
}

}  // namespace
}  // namespace sfg
