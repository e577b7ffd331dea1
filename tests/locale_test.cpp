// The host of the library may have set any locale, and folders may have any name.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <locale>

#include "helpers.hpp"
#include "program.hpp"
#include "sfg/graph.hpp"
#include "sfg/model.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/read.hpp"
#include "sfg/write.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::read_file;
using testing::TemporaryFolder;

constexpr const char* kLocaleTable =
    "id,a,b,c,d\ns1,1.5,3.25,0.125,1e-3\ns2,2.5,5.25,4.5,2\ns3,-1.25,-2.5,1234.5,3\n"
    "s4,0.5,1.25,-7.75,0.25\n";

/// A locale that writes 1.234,5 for 1234.5, made here if the system has none.
class CommaLocale {
 public:
  explicit CommaLocale(const TemporaryFolder& folder) {
    const std::string place = (folder / "locales").string();
    std::filesystem::create_directory(place);
    const std::string command =
        "localedef -i de_DE -f UTF-8 '" + place + "/de_DE.UTF-8' > /dev/null 2>&1";
    if (std::system(command.c_str()) == 0) setenv("LOCPATH", place.c_str(), 1);
    is_set_ = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
    if (is_set_) before_ = std::locale::global(std::locale("de_DE.UTF-8"));
  }
  ~CommaLocale() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;
  [[nodiscard]] bool is_set() const { return is_set_; }

 private:
  std::locale before_ = std::locale::classic();
  bool is_set_ = false;
};

/// Everything that the library reads and writes, as one text.
std::string all_texts(const TemporaryFolder& folder) {
  const Dataset dataset = read_dataset(folder.write("t.csv", kLocaleTable), {});
  MethodOptions options;
  options.grouping = ComponentOptions{.theta = 0.5};
  const MethodResult result = reduce(dataset, options);
  const Model model{dataset.feature_names, NameSource::file, result.reduction, "test"};
  std::string texts = model_to_json(model);
  // Read back under the locale, and written again.
  texts += model_to_json(load_model(folder.write("m.model.json", texts)));
  texts += graph_to_graphml(result.graph, {}) + graph_to_edge_list(result.graph, {});
  for (const char* name : {"u.csv", "u.tsv", "u.mtx", "u.svm", "u.npy"}) {
    write_dataset(dataset, folder / name, format_from_path(name));
    texts += read_file(folder / name);
    write_dataset(read_dataset(folder / name, {}), folder / "again.csv", Format::csv);
    texts += read_file(folder / "again.csv");
  }
  return texts;
}

TEST(Locale, with_a_decimal_comma_changes_no_byte) {
  const TemporaryFolder folder;
  const std::string before = all_texts(folder);
  const CommaLocale locale(folder);
  if (!locale.is_set()) GTEST_SKIP() << "no locale de_DE.UTF-8, and localedef cannot make it";
  ASSERT_STREQ(std::localeconv()->decimal_point, ",");
  EXPECT_EQ(all_texts(folder), before);
}

TEST(Paths, may_have_blanks_quotes_and_any_script) {
  const TemporaryFolder folder;
  const Program sfg(folder);
  const std::string place = "a b'c \u00fc\u4e2d\U0001f600";
  std::filesystem::create_directory(folder / place);
  folder.write(place + "/my table.csv", kLocaleTable);
  const auto run = sfg(
      {"reduce", place + "/my table.csv", "-o", place + "/out put", "--theta", "0.5", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json()["n_features"], 4);
  EXPECT_TRUE(std::filesystem::exists(folder / (place + "/out put.kept.txt")));
}

TEST(Paths, a_current_folder_that_cannot_be_written_to_is_no_hindrance) {
  const TemporaryFolder folder;
  if (geteuid() == 0 && std::system("command -v setpriv > /dev/null") != 0) {
    GTEST_SKIP() << "root may write anywhere";
  }
  folder.write("t.csv", kLocaleTable);
  const auto locked = folder / "locked";
  std::filesystem::create_directory(locked);
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(locked.c_str(), 0555), 0);
  const std::string as_nobody =
      geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  const std::string line = "cd '" + locked.string() + "' && " + as_nobody +
                           "'" SFG_PROGRAM "' sweep ../t.csv --json > '" +
                           (folder / "out").string() + "' 2>&1";
  EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 0) << read_file(folder / "out");
  const std::string writes = "cd '" + locked.string() + "' && " + as_nobody +
                             "'" SFG_PROGRAM "' reduce ../t.csv -o out > /dev/null 2>&1";
  EXPECT_EQ(WEXITSTATUS(std::system(writes.c_str())), 7);
  EXPECT_TRUE(std::filesystem::is_empty(locked));
}

}  // namespace
}  // namespace sfg
