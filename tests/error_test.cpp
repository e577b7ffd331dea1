// What an error says, and to whom: the library has options, the command line arguments.
#include "sfg/error.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bad_value.hpp"
#include "explain_exception.hpp"
#include "helpers.hpp"
#include "program.hpp"
#include "sfg/read.hpp"

#ifdef SFG_WITH_MAT
#include "mat_maker.hpp"
#endif

namespace sfg {
namespace {

namespace fs = std::filesystem;
using cli::spell_option;
using testing::Program;
using testing::TemporaryFolder;

Error missing_cells() {
  return {ErrorCode::malformed_input,
          "2 missing values",
          "a.csv: line 3",
          {"missing", "use {missing=mean}, or lower {threads}"}};
}

std::string shouted(std::string_view field, std::string_view value) {
  return "<" + std::string(field) + "|" + std::string(value) + ">";
}

TEST(Error, carries_what_where_and_what_to_do) {
  const Error error = missing_cells();
  EXPECT_EQ(error.code(), ErrorCode::malformed_input);
  EXPECT_EQ(error.fault(), "2 missing values");
  EXPECT_EQ(error.where(), "a.csv: line 3");
  EXPECT_EQ(error.hint().field, "missing");
  EXPECT_STREQ(error.what(), "a.csv: line 3: 2 missing values; use missing=mean, or lower threads");
}

TEST(Error, options_are_spelt_as_the_caller_wishes) {
  EXPECT_EQ(message(missing_cells(), shouted),
            "a.csv: line 3: 2 missing values; use <missing|mean>, or lower <threads|>");
  EXPECT_EQ(message(missing_cells(), spell_option),
            "a.csv: line 3: 2 missing values; use --missing mean, or lower --threads");
}

TEST(Error, parts_that_are_empty_leave_no_trace) {
  EXPECT_STREQ(Error(ErrorCode::internal, "fault").what(), "fault");
  EXPECT_STREQ(Error(ErrorCode::internal, "fault", "file").what(), "file: fault");
  EXPECT_STREQ(Error(ErrorCode::internal, "fault", "", {"theta", ""}).what(), "fault");
  EXPECT_STREQ(detail::bad_value("max_atoms", "must be at least 1, not 0").what(),
               "max_atoms must be at least 1, not 0");
}

TEST(Error, braces_in_names_of_files_and_features_stay) {
  const Error error(ErrorCode::cannot_read, "no feature '{threads}'", "{missing=mean}.csv",
                    {"", "an open { stays"});
  EXPECT_EQ(message(error, spell_option),
            "{missing=mean}.csv: no feature '{threads}'; an open { stays");
}

TEST(Error, the_command_line_has_a_few_names_of_its_own) {
  EXPECT_EQ(spell_option("features_in_rows", "true"), "--features-in-rows");
  EXPECT_EQ(spell_option("memory_limit", ""), "--memory");
  EXPECT_EQ(spell_option("variable", "NAME"), "--variable NAME");
  EXPECT_EQ(spell_option("overwrite", "true"), "--force");
  EXPECT_EQ(spell_option("output", ""), "-o");
}

// --- the same fault on the command line ----------------------------------------------------------

TEST(ErrorOnTheCommandLine, names_arguments_and_never_fields) {
  const TemporaryFolder folder;
  const Program sfg(folder);
  folder.write("one.csv", "a\n1\n2\n3\n");
  folder.write("gap.csv", "a,b\n1,2\n3,\n5,7\n");
  folder.write("same.csv", "a,a\n1,2\n3,5\n5,7\n");
  const std::vector<std::pair<std::string, std::string>> faults{
      {"one.csv",
       "sfg: one.csv: there is only one feature, so it cannot repeat another; give at "
       "least two features, or add --features-in-rows if the rows of the file are "
       "features\n"},
      {"gap.csv",
       "; fill them in with --missing mean or --missing median, or leave out their features with "
       "--missing drop-feature or their samples with --missing drop-sample\n"},
      {"same.csv",
       "; rename one of them, or add --suffix-duplicates to tell them apart by _2, "
       "_3, ...\n"},
  };
  for (const auto& [file, said] : faults) {
    const auto run = sfg({"reduce", file, "--missing", "refuse"});
    EXPECT_TRUE(run.err.ends_with(said)) << run.err;
    EXPECT_EQ(run.err.find('{'), std::string::npos) << run.err;
  }
}

TEST(ErrorOnTheCommandLine, says_which_argument_is_out_of_range) {
  const TemporaryFolder folder;
  folder.write("t.csv", "a,b\n1,2\n3,4\n5,7\n");
  const auto run = Program(folder)({"graph", "t.csv", "--max-atoms", "0", "-o", "g.npz"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("--max-atoms"), std::string::npos) << run.err;
}

TEST(ErrorOnTheCommandLine, an_output_that_exists_can_be_forced) {
  const TemporaryFolder folder;
  folder.write("t.csv", "a,b\n1,2\n3,4\n5,7\n");
  folder.write("g.npz", "mine");
  const auto run = Program(folder)({"graph", "t.csv", "-o", "g.npz"});
  EXPECT_EQ(run.status, 7);
  EXPECT_EQ(run.err,
            "sfg: g.npz: exists already; give another name, or add --force to replace it\n");
}

#ifdef SFG_WITH_MAT
/// MAT files are read in a process of their own: advice must come back from it whole.
TEST(ErrorOnTheCommandLine, advice_survives_the_process_that_reads) {
  const TemporaryFolder folder;
  testing::MatMaker(folder / "a.mat", MAT_FT_MAT5)
      .add_doubles("A", 2, 3, std::vector<double>(6))
      .add_doubles("B", 2, 3, std::vector<double>(6));
  const auto run = Program(folder)({"reduce", "a.mat"});
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(run.err.ends_with("; choose one with --variable NAME\n")) << run.err;
}
#endif

// --- the sources ---------------------------------------------------------------------------------

/// The place after a comment, a literal or a character that starts at `start`.
std::size_t token_end(const std::string& source, std::size_t start) {
  const auto after = [&](const char* end, std::size_t length) {
    const auto found = source.find(end, start + 2);
    return found == std::string::npos ? source.size() : found + length;
  };
  if (source.compare(start, 2, "//") == 0) return after("\n", 0);
  if (source.compare(start, 2, "/*") == 0) return after("*/", 2);
  const char quote = source[start];
  // A quote between digits parts them: 1'000.
  const bool parts_digits = quote == '\'' && start > 0 && std::isalnum(source[start - 1]) != 0;
  if ((quote != '"' && quote != '\'') || parts_digits) return start + 1;
  for (std::size_t place = start + 1; place < source.size(); ++place) {
    if (source[place] == quote) return place + 1;
    if (source[place] == '\\') ++place;
  }
  return source.size();
}

/// String literals of a source file; adjacent ones are one, as for the compiler.
std::vector<std::string> literals(const std::string& source) {
  std::vector<std::string> found;
  bool adjacent = false;
  for (std::size_t start = 0, end = 0; start < source.size(); start = end) {
    end = token_end(source, start);
    if (source[start] == '"') {
      if (!adjacent) found.emplace_back();
      found.back() += source.substr(start + 1, end - start - 2);
      adjacent = true;
    } else if (source[start] != ' ' && source[start] != '\n') {
      adjacent = false;
    }
  }
  return found;
}

std::vector<fs::path> sources_in(std::initializer_list<const char*> folders) {
  std::vector<fs::path> files;
  for (const char* folder : folders) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(SFG_SOURCE_FOLDER) / folder)) {
      const auto ending = entry.path().extension();
      if (ending == ".cpp" || ending == ".hpp") files.push_back(entry.path());
    }
  }
  return files;
}

TEST(Literals, are_found_across_lines_and_not_in_comments) {
  EXPECT_EQ(literals("f(\"a --\"\n  \"b\", '\"', \"c\\\"d\"); // \"no\"\n/* \"no\" */ \"e\""),
            (std::vector<std::string>{"a --b", "c\\\"d", "e"}));
}

TEST(Library, no_text_names_an_argument_of_a_program) {
  const std::regex argument(R"((^|[^a-z-])(--[a-z]|-o\b))");
  const auto files = sources_in({"src", "include"});
  ASSERT_GT(files.size(), 100U);
  for (const fs::path& file : files) {
    for (const std::string& text : literals(testing::read_file(file))) {
      EXPECT_FALSE(std::regex_search(text, argument)) << file << ": \"" << text << '"';
    }
  }
}

TEST(Library, advises_only_options_that_the_command_line_has) {
  // An argument is a field of the options' lists, or the program names it itself: "-o,--output".
  std::set<std::string> known;
  for (const fs::path& file : sources_in({"include", "cli", "mpi"})) {
    for (const std::string& text : literals(testing::read_file(file))) {
      std::istringstream names(text);
      for (std::string name; std::getline(names, name, ',');) known.insert(name);
    }
  }
  // Braces in pairs are those of a text that fmt formats: LaTeX, say.
  const std::regex place(R"((?:^|[^{])\{([a-z][a-z_]*)(=[^}]*)?\})");
  int n_places = 0;
  for (const fs::path& file : sources_in({"src", "include", "mpi"})) {
    for (const std::string& text : literals(testing::read_file(file))) {
      for (std::sregex_iterator found(text.begin(), text.end(), place), end; found != end;
           ++found, ++n_places) {
        const std::string field = (*found)[1].str();
        EXPECT_TRUE(known.contains(field) || known.contains(spell_option(field, "")))
            << file << " advises " << field << ": \"" << text << '"';
      }
    }
  }
  EXPECT_GT(n_places, 20);
}

}  // namespace
}  // namespace sfg
