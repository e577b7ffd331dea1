#include "sfg/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/fingerprint.hpp"
#include "io/record_file.hpp"
#include "io/whole_number.hpp"
#include "pursuit/checkpoint/block_record.hpp"
#include "sfg/error.hpp"
#include "sfg/version.hpp"

namespace sfg {

namespace {

using detail::RecordFile;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kJournalVersion = 1;

double seconds_since(Clock::time_point moment) {
  return std::chrono::duration<double>(Clock::now() - moment).count();
}

/// First letters of records, by which their kinds are told.
constexpr char kPursuitRecord = 'P';
constexpr char kBlockRecord = 'B';

std::string header() {
  return json{
      {"format", "sfg-graph-journal"}, {"version", kJournalVersion}, {"sfg_version", version()}}
      .dump();
}

std::string key_record(const PursuitKey& key) {
  return kPursuitRecord + json{{"n_samples", key.n_samples},
                               {"n_features", key.n_features},
                               {"features", detail::hexadecimal(key.features)},
                               {"options", key.options}}
                              .dump();
}

std::optional<PursuitKey> key_from_record(std::string_view record) {
  try {
    const json line = json::parse(record.substr(1));
    return PursuitKey{static_cast<Index>(detail::whole_number(line.at("n_samples"))),
                      static_cast<Index>(detail::whole_number(line.at("n_features"))),
                      std::stoull(line.at("features").get<std::string>(), nullptr, 16),
                      line.at("options").get<std::string>()};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// What is different, for people.
std::string difference(const PursuitKey& there, const PursuitKey& here) {
  if (there.n_samples != here.n_samples || there.n_features != here.n_features) {
    return fmt::format("{} x {} there, {} x {} here", there.n_samples, there.n_features,
                       here.n_samples, here.n_features);
  }
  if (there.options != here.options) {
    return fmt::format("\"{}\" there, \"{}\" here", there.options, here.options);
  }
  return "other values, or normalised differently";
}

/// Whether none of the targets is known; then they are. A set: how many features there are is what
/// the file claims, and no reason to take memory.
bool are_new(std::span<const Index> targets, std::unordered_set<Index>& known) {
  const auto is_known = [&](Index target) { return known.contains(target); };
  if (std::ranges::any_of(targets, is_known)) return false;
  known.insert(targets.begin(), targets.end());
  return true;
}

}  // namespace

/// The records in memory and in the file.
class PursuitJournal::Records {
 public:
  Records(std::filesystem::path path, const JournalOptions& options);

  [[nodiscard]] std::vector<TargetBlock> find(const PursuitKey& key);
  void keep(const PursuitKey& key, const TargetBlock& block);
  void finish() noexcept;

  [[nodiscard]] bool was_there() const noexcept { return was_there_; }
  [[nodiscard]] std::size_t n_recalled() const noexcept { return n_recalled_; }
  [[nodiscard]] std::size_t n_dropped() const noexcept { return n_dropped_; }
  [[nodiscard]] std::size_t n_written() const noexcept { return n_written_; }
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  struct Pursuit {
    PursuitKey key;
    std::vector<TargetBlock> blocks;
  };

  void load();
  [[nodiscard]] std::size_t number_of(const PursuitKey& key);
  void begin();
  void write_pending();

  std::filesystem::path path_;
  JournalOptions options_;
  std::optional<RecordFile> file_;  ///< nothing before there is a reason to write
  std::vector<Pursuit> recalled_;
  std::vector<PursuitKey> keys_;      ///< of pursuits that are in the file or pending
  std::vector<std::string> pending_;  ///< records that wait for the file
  std::size_t n_pending_ = 0;         ///< targets in them
  bool was_there_ = false;
  bool asked_ = false;  ///< find() was called
  std::size_t n_recalled_ = 0;
  std::size_t n_dropped_ = 0;
  std::size_t n_written_ = 0;
  std::string failure_;
  Clock::time_point start_ = Clock::now();
};

PursuitJournal::Records::Records(std::filesystem::path path, const JournalOptions& options)
    : path_(std::move(path)), options_(options) {
  std::error_code ignored;
  was_there_ = std::filesystem::exists(path_, ignored);
  const bool recall = options_.old == OldJournal::go_on || options_.old == OldJournal::go_on_any;
  if (was_there_ && recall) load();
}

void PursuitJournal::Records::load() {
  file_.emplace(path_);
  const RecordFile::Contents contents = file_->read();
  if (contents.records.empty() || contents.records.front() != header()) {
    if (!contents.ends_before(header()) && options_.old == OldJournal::go_on) {
      throw Error(ErrorCode::inconsistent_input, "is not a journal of this version of sfg",
                  path_.string(),
                  {"overwrite",
                   "remove it, give another {output}, or add {overwrite=true} to "
                   "start over"});
    }
    file_.reset();
    options_.old = OldJournal::replace;
    return;
  }
  std::size_t end = contents.ends.front();
  std::vector<std::unordered_set<Index>> known;  // targets of each pursuit so far
  for (std::size_t k = 1; k < contents.records.size(); ++k) {
    const std::string& record = contents.records[k];
    if (record.starts_with(kPursuitRecord)) {
      auto key = key_from_record(record);
      if (!key) break;
      recalled_.push_back({std::move(*key), {}});
      known.emplace_back();
    } else {
      auto numbered = record.starts_with(kBlockRecord)
                          ? detail::block_from_record(std::string_view(record).substr(1))
                          : std::nullopt;
      if (!numbered || numbered->pursuit >= recalled_.size() ||
          !fits(numbered->block, recalled_[numbered->pursuit].key)) {
        break;
      }
      // A command that makes one graph twice writes it twice: the first one counts.
      if (are_new(numbered->block.targets, known[numbered->pursuit])) {
        n_written_ += numbered->block.targets.size();
        recalled_[numbered->pursuit].blocks.push_back(std::move(numbered->block));
      }
    }
    end = contents.ends[k];
  }
  n_dropped_ = contents.text.size() - end;
  file_->cut(end);
  for (const Pursuit& pursuit : recalled_) keys_.push_back(pursuit.key);
}

std::vector<TargetBlock> PursuitJournal::Records::find(const PursuitKey& key) {
  const bool is_first = !std::exchange(asked_, true);
  if (is_first && !recalled_.empty() && recalled_.front().key != key) {
    if (options_.old == OldJournal::go_on) {
      throw Error(
          ErrorCode::inconsistent_input,
          fmt::format("belongs to another graph ({})", difference(recalled_.front().key, key)),
          path_.string(),
          {"overwrite",
           "give the data and options of the run that was cut off, or add "
           "{overwrite=true} to start over"});
    }
    recalled_.clear();
    keys_.clear();
    n_written_ = 0;
    file_.reset();
    options_.old = OldJournal::replace;
  }
  const auto found = std::ranges::find(recalled_, key, &Pursuit::key);
  if (found == recalled_.end()) return {};
  for (const TargetBlock& block : found->blocks) n_recalled_ += block.targets.size();
  return std::move(found->blocks);
}

void PursuitJournal::Records::keep(const PursuitKey& key, const TargetBlock& block) {
  const bool left_alone = was_there_ && options_.old == OldJournal::leave;
  if (left_alone || !failure_.empty()) return;
  const std::size_t number = number_of(key);
  pending_.push_back(kBlockRecord +
                     detail::block_record(block, static_cast<std::uint32_t>(number)));
  n_pending_ += block.targets.size();
  if (!file_ && seconds_since(start_) < options_.after_seconds) return;
  try {
    if (!file_) begin();
    write_pending();
  } catch (const Error& error) {
    failure_ = error.what();
    pending_.clear();
    if (n_written_ == 0 && file_) file_->remove();
  }
}

std::size_t PursuitJournal::Records::number_of(const PursuitKey& key) {
  const auto known = std::ranges::find(keys_, key);
  const auto number = static_cast<std::size_t>(known - keys_.begin());
  if (known == keys_.end()) {
    keys_.push_back(key);
    pending_.push_back(key_record(key));
  }
  return number;
}

void PursuitJournal::Records::begin() {
  file_.emplace(path_);
  file_->cut(0);
  file_->append(header());
}

void PursuitJournal::Records::write_pending() {
  for (const std::string& record : std::exchange(pending_, {})) file_->append(record);
  n_written_ += std::exchange(n_pending_, 0);
}

void PursuitJournal::Records::finish() noexcept {
  try {
    const bool replaced = was_there_ && options_.old == OldJournal::replace && failure_.empty();
    if (!file_ && replaced) file_.emplace(path_);  // not if another run writes to it
    if (file_) file_->remove();
  } catch (const Error&) {
    // It stays, and the next run tells about it.
  }
}

PursuitJournal::PursuitJournal(std::filesystem::path path, const JournalOptions& options)
    : records_(std::make_unique<Records>(std::move(path), options)) {}
PursuitJournal::~PursuitJournal() = default;
PursuitJournal::PursuitJournal(PursuitJournal&&) noexcept = default;
PursuitJournal& PursuitJournal::operator=(PursuitJournal&&) noexcept = default;

PursuitCheckpoint PursuitJournal::checkpoint() {
  PursuitCheckpoint checkpoint;
  Records* records = records_.get();
  checkpoint.find = [records](const PursuitKey& key) { return records->find(key); };
  checkpoint.keep = [records](const PursuitKey& key, const TargetBlock& block) {
    records->keep(key, block);
  };
  return checkpoint;
}

bool PursuitJournal::was_there() const noexcept {
  return records_->was_there();
}
std::size_t PursuitJournal::n_recalled() const noexcept {
  return records_->n_recalled();
}
std::size_t PursuitJournal::n_dropped() const noexcept {
  return records_->n_dropped();
}
std::size_t PursuitJournal::n_written() const noexcept {
  return records_->n_written();
}
const std::string& PursuitJournal::failure() const noexcept {
  return records_->failure();
}
void PursuitJournal::finish() noexcept {
  records_->finish();
}

}  // namespace sfg
