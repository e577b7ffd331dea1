// What the help says is the default is what the library does by default.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "program.hpp"
#include "sfg/certificate.hpp"
#include "sfg/graph.hpp"
#include "sfg/pursuit.hpp"
#include "sfg/reduce.hpp"

namespace sfg {
namespace {

/// "--epsilon NUMBER    End a description when ... (default: 0.01)" in the help: the number.
double default_in_help(const std::string& help, const std::string& option) {
  std::smatch found;
  if (!std::regex_search(help, found, std::regex(option + R"( [^(]*\(default: ([^;)]+))"))) {
    ADD_FAILURE() << "the help names no default of " << option;
    return 0;
  }
  return std::strtod(found[1].str().c_str(), nullptr);
}

TEST(Defaults, of_the_command_line_are_those_of_the_library) {
  const testing::TemporaryFolder folder;
  const testing::Program program(folder);
  const std::string help = program({"reduce", "--help"}).out;
  EXPECT_EQ(default_in_help(help, "--epsilon"), PursuitOptions{}.epsilon);
  EXPECT_EQ(default_in_help(help, "--max-atoms"), PursuitOptions{}.max_atoms);
  EXPECT_EQ(default_in_help(help, "--max-angle"), GraphOptions{}.max_angle);
  EXPECT_EQ(default_in_help(help, "--max-terms"), ReduceOptions{}.max_terms);
  const CertificateOptions certificate;
  EXPECT_EQ(default_in_help(help, "--certify-folds"), certificate.n_folds);
  EXPECT_EQ(default_in_help(help, "--certify-nearest"), certificate.n_nearest);
}

}  // namespace
}  // namespace sfg
