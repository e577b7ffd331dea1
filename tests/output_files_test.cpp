#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "helpers.hpp"
#include "sfg/write.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::read_file;
using testing::TemporaryFolder;

std::ptrdiff_t count_files(const TemporaryFolder& folder) {
  return std::distance(std::filesystem::directory_iterator(folder.path()), {});
}

TEST(OutputFiles, appear_only_when_committed) {
  const TemporaryFolder folder;
  OutputFiles outputs(Existing::refuse);
  outputs.add_text(folder / "a.txt", "one");
  const auto temporary = outputs.stage(folder / "b.txt");
  std::ofstream(temporary) << "two";
  EXPECT_FALSE(std::filesystem::exists(folder / "a.txt"));
  EXPECT_EQ(temporary.parent_path(), folder.path());
  EXPECT_TRUE(temporary.filename().string().starts_with(fmt::format("b.txt.tmp-{}", getpid())));
  outputs.commit();
  EXPECT_EQ(read_file(folder / "a.txt"), "one");
  EXPECT_EQ(read_file(folder / "b.txt"), "two");
  EXPECT_EQ(count_files(folder), 2);
}

TEST(OutputFiles, that_were_not_committed_are_removed) {
  const TemporaryFolder folder;
  {
    OutputFiles outputs(Existing::refuse);
    outputs.add_text(folder / "a.txt", "one");
    EXPECT_EQ(count_files(folder), 1);
  }
  EXPECT_EQ(count_files(folder), 0);
}

TEST(OutputFiles, nothing_is_on_the_disk_before_it_is_written) {
  const TemporaryFolder folder;
  OutputFiles outputs(Existing::refuse);
  (void)outputs.stage(folder / "a.txt");
  EXPECT_EQ(count_files(folder), 0) << "a killed run would leave it behind";
}

TEST(OutputFiles, existing_files_are_refused_at_once_or_replaced) {
  const TemporaryFolder folder;
  (void)folder.write("a.txt", "old");
  OutputFiles careful(Existing::refuse);
  expect_error(ErrorCode::cannot_write, {"a.txt", "exists already"},
               [&] { (void)careful.stage(folder / "a.txt"); });
  OutputFiles bold(Existing::replace);
  bold.add_text(folder / "a.txt", "new");
  EXPECT_EQ(read_file(folder / "a.txt"), "old");
  bold.commit();
  EXPECT_EQ(read_file(folder / "a.txt"), "new");
  EXPECT_EQ(count_files(folder), 1);
}

TEST(OutputFiles, a_file_that_appeared_meanwhile_is_not_overwritten) {
  const TemporaryFolder folder;
  {
    OutputFiles outputs(Existing::refuse);
    outputs.add_text(folder / "a.txt", "one");
    outputs.add_text(folder / "b.txt", "two");
    (void)folder.write("b.txt", "theirs");
    expect_error(ErrorCode::cannot_write, {"b.txt", "exists already"}, [&] { outputs.commit(); });
  }
  EXPECT_EQ(read_file(folder / "b.txt"), "theirs");
  EXPECT_EQ(count_files(folder), 1);
}

TEST(OutputFiles, folders_missing_or_in_place_of_the_file_are_refused) {
  const TemporaryFolder folder;
  OutputFiles outputs(Existing::replace);
  expect_error(ErrorCode::cannot_write, {"none/a.txt", "does not exist", "create it"},
               [&] { (void)outputs.stage(folder / "none/a.txt"); });
  expect_error(ErrorCode::cannot_write, {"is a folder"},
               [&] { (void)outputs.stage(folder.path()); });
  expect_error(ErrorCode::cannot_write, {"not the name of a file"},
               [&] { (void)outputs.stage(folder / ""); });
  expect_error(ErrorCode::cannot_write, {"/dev/null", "not an ordinary file"},
               [&] { (void)outputs.stage("/dev/null"); });
  expect_error(ErrorCode::cannot_write, {"cannot be created"},
               [&] { (void)outputs.stage(folder / std::string(250, 'x')); });
}

TEST(OutputFiles, the_same_target_twice_is_refused) {
  const TemporaryFolder folder;
  OutputFiles outputs(Existing::replace);
  outputs.add_text(folder / "a.txt", "one");
  expect_error(ErrorCode::cannot_write, {"same name"},
               [&] { (void)outputs.stage(folder / "./a.txt"); });
}

TEST(OutputFiles, named_outputs_are_found_by_their_names) {
  const TemporaryFolder folder;
  OutputFiles outputs(Existing::refuse);
  for (const char* ending : {".kept.txt", ".log"}) {
    outputs.stage(ending, folder / (std::string("p") + ending));
  }
  EXPECT_TRUE(outputs.has(".log"));
  EXPECT_FALSE(outputs.has(".model.json"));
  EXPECT_EQ(outputs.target(".log"), folder / "p.log");
  outputs.write_text(".kept.txt", "kept");
  std::ofstream(outputs.place(".log")) << "log";
  EXPECT_FALSE(std::filesystem::exists(folder / "p.log"));
  outputs.commit();
  EXPECT_EQ(read_file(folder / "p.kept.txt"), "kept");
  EXPECT_EQ(read_file(folder / "p.log"), "log");
}

TEST(OutputFiles, a_name_that_was_not_staged_or_was_staged_twice_is_a_mistake) {
  const TemporaryFolder folder;
  OutputFiles outputs(Existing::refuse);
  outputs.stage("log", folder / "a.log");
  expect_error(ErrorCode::internal, {"log"}, [&] { outputs.stage("log", folder / "b.log"); });
  expect_error(ErrorCode::internal, {"model"}, [&] { (void)outputs.place("model"); });
  expect_error(ErrorCode::internal, {"model"}, [&] { outputs.write_text("model", "x"); });
}

TEST(OutputFiles, a_rename_that_fails_leaves_all_files_as_they_were) {
  const TemporaryFolder folder;
  (void)folder.write("replaced.txt", "former");
  OutputFiles outputs(Existing::replace);
  outputs.add_text(folder / "replaced.txt", "new");
  outputs.add_text(folder / "a.txt", "one");
  const auto lost = outputs.stage(folder / "b.txt");
  outputs.add_text(folder / "c.txt", "three");
  std::filesystem::create_directory(lost);
  // A folder cannot be renamed onto a file.
  (void)folder.write("b.txt", "old");
  expect_error(ErrorCode::cannot_write, {"b.txt", "as they were before"},
               [&] { outputs.commit(); });
  EXPECT_EQ(read_file(folder / "replaced.txt"), "former");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.txt"));
  EXPECT_EQ(read_file(folder / "b.txt"), "old");
  EXPECT_EQ(count_files(folder), 2);
}

TEST(OutputFiles, a_lost_temporary_file_is_noticed_before_anything_is_renamed) {
  const TemporaryFolder folder;
  OutputFiles outputs(Existing::refuse);
  outputs.add_text(folder / "a.txt", "one");
  (void)outputs.stage(folder / "b.txt");  // and nobody writes it
  expect_error(ErrorCode::cannot_write, {"b.txt"}, [&] { outputs.commit(); });
  EXPECT_FALSE(std::filesystem::exists(folder / "a.txt"));
}

TEST(OutputFiles, names_without_a_folder_go_to_the_current_one) {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  OutputFiles outputs(Existing::refuse);
  outputs.add_text("a.txt", "one");
  outputs.commit();
  std::filesystem::current_path(before);
  EXPECT_EQ(read_file(folder / "a.txt"), "one");
}

}  // namespace
}  // namespace sfg
