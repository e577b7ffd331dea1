// The power fails between any two events of a run. What was not flushed to the disk by then may be
// there, lost, torn or zeros, and of the names that were given since the folder was flushed, any
// may be there: every output is as it was before or as it should be, and the next run gets on.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "faults.hpp"

namespace sfg {
namespace {

using testing::FaultyPlace;
using testing::ProgramRun;
using testing::read_file;
using Words = std::vector<std::string>;
using InodeNumber = std::string;
/// Directory and what stands under them.
using Contents = std::map<std::string, std::string>;
using Directory = std::map<std::string, InodeNumber>;

/// One line of the record: what happened, to which inode, under which names.
struct Event {
  std::string what;
  InodeNumber inode;
  std::string name;
  std::string new_name;
  std::string contents;  ///< of the inode, then
};

std::vector<Event> read_events(const std::filesystem::path& record) {
  std::vector<Event> events;
  std::ifstream lines(record / "events");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    Event event;
    std::getline(cells, event.what, '\t');
    std::getline(cells, event.inode, '\t');
    std::getline(cells, event.name, '\t');
    std::getline(cells, event.new_name, '\t');
    event.contents = read_file(record / std::to_string(events.size()));
    events.push_back(event);
  }
  return events;
}

/// What becomes of bytes that were not flushed.
enum class Unflushed { kept, lost, torn, zeros };
constexpr Unflushed kFates[] = {Unflushed::kept, Unflushed::lost, Unflushed::torn,
                                Unflushed::zeros};

/// A disk on which events happen, and what a power failure may leave of it.
class Disk {
 public:
  Disk(const Directory& names, const std::map<InodeNumber, std::string>& contents)
      : names_(names), flushed_(contents), written_(contents) {}

  void happen(const Event& event) {
    if (event.what == "flush" && event.name == ".") return flush_names();
    if (event.what == "flush") flushed_[event.inode] = event.contents;
    if (event.what == "make") flushed_[event.inode] = "";
    if (event.what != "remove") written_[event.inode] = event.contents;
    const bool names = event.what != "write" && event.what != "flush";
    if (names) pending_.push_back(event);
  }

  /// Which of the pending changes of names get to the disk: all, none, every prefix, all but one,
  /// and each of them alone.
  [[nodiscard]] std::set<std::vector<bool>> choices() const {
    const std::size_t n = pending_.size();
    std::set<std::vector<bool>> all;
    for (std::size_t k = 0; k <= n; ++k) {
      std::vector<bool> prefix(n, false);
      std::fill_n(prefix.begin(), k, true);
      all.insert(prefix);
      if (k == n) break;
      std::vector<bool> but_one(n, true);
      but_one[k] = false;
      all.insert(but_one);
      but_one.flip();
      all.insert(but_one);
    }
    return all;
  }

  [[nodiscard]] Contents after(Unflushed fate, const std::vector<bool>& choice) const {
    Directory names = names_;
    for (std::size_t k = 0; k < pending_.size(); ++k) {
      if (choice[k]) apply(pending_[k], names);
    }
    Contents files;
    for (const auto& [name, inode] : names) files[name] = left_of(inode, fate);
    return files;
  }

  /// What is on the disk under this name whatever happens; empty if the name is not.
  [[nodiscard]] std::string safe(const std::string& name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? "" : flushed_.at(found->second);
  }

 private:
  static void apply(const Event& event, Directory& names) {
    if (event.what == "remove" || event.what == "rename") names.erase(event.name);
    if (event.what == "make") names[event.name] = event.inode;
    if (event.what == "rename" || event.what == "link") names[event.new_name] = event.inode;
  }

  void flush_names() {
    for (const Event& event : pending_) apply(event, names_);
    pending_.clear();
  }

  [[nodiscard]] std::string left_of(const InodeNumber& inode, Unflushed fate) const {
    const std::string& flushed = flushed_.at(inode);
    const std::string& written = written_.at(inode);
    if (flushed == written || fate == Unflushed::kept) return written;
    if (fate == Unflushed::lost) return flushed;
    const std::size_t sure = written.starts_with(flushed) ? flushed.size() : 0;
    const std::size_t torn = sure + (written.size() - sure) / 2;
    if (fate == Unflushed::torn) return written.substr(0, torn);
    return written.substr(0, sure) + std::string(written.size() - sure, '\0');
  }

  Directory names_;  ///< on the disk
  std::vector<Event> pending_;
  std::map<InodeNumber, std::string> flushed_;
  std::map<InodeNumber, std::string> written_;
};

bool is_output(const std::string& name) {
  return name.find(".tmp-") == name.npos && !name.ends_with(".journal");
}

Contents outputs_of(Contents files) {
  std::erase_if(files, [](const auto& one) { return !is_output(one.first); });
  return files;
}

/// Nothing and an empty one are told apart.
std::string journal_of(const Contents& state) {
  for (const auto& [name, text] : state) {
    if (name.ends_with(".journal")) return name + ":" + text;
  }
  return {};
}

class PowerFailure : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"former", "data"}) {
      const std::string seed = name == std::string("data") ? "3" : "4";
      ASSERT_EQ(place_
                    .without_fault({"synth", "--samples", "30", "--features", "90", "--seed", seed,
                                    "-o", fmt::format("in/{}.csv", name)})
                    .status,
                0);
    }
    std::string classes;
    for (int i = 0; i < 30; ++i) classes += i % 2 == 0 ? "x\n" : "y\n";
    place_.folder().write("in/classes.txt", classes);
  }

  [[nodiscard]] std::filesystem::path out() const { return place_.folder() / "out"; }

  /// Raw bytes: a log or page is as it should be only if it is this run's.
  [[nodiscard]] Contents files_in_out() const {
    Contents files;
    for (const auto& entry : std::filesystem::directory_iterator(out())) {
      files[entry.path().filename().string()] = read_file(entry.path());
    }
    return files;
  }

  /// The disk as it is before the run.
  [[nodiscard]] Disk present_disk() const {
    Directory names;
    std::map<InodeNumber, std::string> contents;
    for (const auto& [name, text] : files_in_out()) {
      struct stat status {};
      EXPECT_EQ(stat((out() / name).c_str(), &status), 0);
      names[name] = std::to_string(status.st_ino);
      contents[names[name]] = text;
    }
    return {names, contents};
  }

  void put(const Contents& files) {
    place_.clear_outputs();
    for (const auto& [name, text] : files) place_.folder().write("out/" + name, text);
  }

  /// Runs the command and then looks at every state in which a power failure could leave its
  /// outputs. Returns these states.
  std::set<Contents> states_of(const Words& words) {
    const Contents former = files_in_out();
    Disk disk = present_disk();
    const testing::TemporaryFolder record(testing::fast_place());
    const ProgramRun run = place_.recorded(words, record.path());
    EXPECT_EQ(run.status, 0) << run.err;
    const Contents whole = outputs_of(files_in_out());
    std::set<Contents> states;
    const std::vector<Event> events = read_events(record.path());
    EXPECT_GT(events.size(), 5U);
    for (std::size_t k = 0; k <= events.size(); ++k) {
      SCOPED_TRACE(fmt::format("the power fails after event {} of {}, {} {} {}", k, events.size(),
                               k == 0 ? "" : events[k - 1].what, k == 0 ? "" : events[k - 1].name,
                               k == 0 ? "" : events[k - 1].new_name));
      if (k > 0) disk.happen(events[k - 1]);
      const bool is_over = k == events.size();
      for (const Unflushed fate : kFates) {
        for (const auto& choice : disk.choices()) {
          Contents state = disk.after(fate, choice);
          expect_sound(outputs_of(state), former, whole);
          expect_work_is_safe(disk, state, whole);
          if (is_over) {
            EXPECT_EQ(outputs_of(state), whole);
          }
          if (::testing::Test::HasFailure()) return {};
          states.insert(std::move(state));
        }
      }
    }
    return states;
  }

  static void expect_sound(const Contents& outputs, const Contents& former, const Contents& whole) {
    for (const auto& [name, text] : outputs) {
      const bool is_former = former.contains(name) && former.at(name) == text;
      const bool is_new = whole.contains(name) && whole.at(name) == text;
      EXPECT_TRUE(is_former || is_new) << name << " holds " << text.substr(0, 200);
    }
    for (const auto& [name, text] : former) EXPECT_TRUE(outputs.contains(name)) << name;
  }

  /// What the journal had on the disk goes only when the outputs are there.
  static void expect_work_is_safe(const Disk& disk, const Contents& state, const Contents& whole) {
    for (const char* name : {"r.journal", "g.npz.journal", "e.journal"}) {
      const std::string safe = disk.safe(name);
      if (safe.empty() || outputs_of(state) == whole) continue;
      EXPECT_TRUE(state.contains(name) && state.at(name).starts_with(safe));
    }
  }

  /// From these states the command gets on and writes what it should: one for every journal that
  /// may be left, with outputs and without.
  void expect_next_run_works(const std::set<Contents>& states, const Words& words) {
    place_.clear_outputs();
    ASSERT_EQ(place_.without_fault(words).status, 0);
    const Contents expected = place_.outputs();
    std::set<std::pair<std::string, bool>> tried;
    for (const Contents& state : states) {
      const bool has_outputs = !outputs_of(state).empty();
      if (!tried.emplace(journal_of(state), has_outputs).second) continue;
      put(state);
      const Words now = has_outputs ? testing::and_also(words, {"--force"}) : words;
      const ProgramRun run = place_.without_fault(now);
      ASSERT_EQ(run.status, 0) << run.err << journal_of(state);
      ASSERT_EQ(outputs_of(place_.outputs()), expected) << journal_of(state);
    }
    RecordProperty("states", static_cast<int>(states.size()));
    RecordProperty("next_runs", static_cast<int>(tried.size()));
  }

  FaultyPlace place_;
};

TEST_F(PowerFailure, leaves_no_part_of_a_graph_and_a_journal_to_go_on_with) {
  const Words words{"graph", "in/data.csv", "-o", "out/g.npz", "--resume", "--journal-after", "0"};
  expect_next_run_works(states_of(words), words);
}

TEST_F(PowerFailure, leaves_each_file_of_a_reduction_whole_or_not_there) {
  const Words words{"reduce", "in/data.csv", "-o", "out/r", "--journal-after", "0"};
  expect_next_run_works(states_of(words), words);
}

TEST_F(PowerFailure, leaves_each_file_of_a_reduction_as_it_was_or_as_it_should_be) {
  ASSERT_EQ(place_.without_fault({"reduce", "in/former.csv", "-o", "out/r"}).status, 0);
  const Words words{"reduce", "in/data.csv", "-o", "out/r", "--force"};
  expect_next_run_works(states_of(words), words);
}

TEST_F(PowerFailure, leaves_an_experiment_to_go_on_with) {
  const Words words{"experiment", "in/data.csv", "--labels", "in/classes.txt", "--thetas",
                    "0.5",        "-m",          "3",        "--seeds",        "1",
                    "-o",         "out/e",       "--no-png"};
  expect_next_run_works(states_of(words), words);
}

TEST_F(PowerFailure, leaves_converted_tables_whole_or_not_there) {
  for (const char* name : {"c.csv.gz", "c.npy", "c.mat", "c.mtx", "c.svm"}) {
    SCOPED_TRACE(name);
    place_.clear_outputs();
    const ProgramRun run =
        place_.without_fault({"convert", "in/former.csv", std::string("out/") + name});
    if (run.err.find("built without") != std::string::npos) continue;
    const Words words{"convert", "in/data.csv", std::string("out/") + name, "--force"};
    expect_next_run_works(states_of(words), words);
  }
}

}  // namespace
}  // namespace sfg
