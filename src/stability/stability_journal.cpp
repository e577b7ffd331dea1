#include "sfg/stability_journal.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/result_journal.hpp"
#include "io/whole_number.hpp"
#include "sfg/fingerprint.hpp"
#include "sfg/version.hpp"

namespace sfg {

namespace {

using nlohmann::json;

constexpr int kRepeatsVersion = 1;

std::string repeats_header(const std::string& options, const Dataset& dataset) {
  return json{{"format", "sfg-stability-journal"},
              {"version", kRepeatsVersion},
              {"sfg_version", version()},
              {"options", options},
              {"data", fingerprint_of(dataset)}}
      .dump();
}

std::string repeat_line(int repeat, const StabilityRepeat& found) {
  return json{{"repeat", repeat},
              {"kept", found.kept},
              {"group_jaccard", found.group_jaccard},
              {"pairs_together", found.pairs_together}}
      .dump();
}

}  // namespace

/// The repeats in memory and in the file.
class StabilityJournal::Records {
 public:
  Records(std::filesystem::path path, const std::string& options, const Dataset& dataset,
          ForeignJournal foreign)
      : file_(std::move(path), repeats_header(options, dataset)) {
    if (load()) return;
    if (foreign == ForeignJournal::refuse) file_.refuse("run");
    repeats_.clear();
    file_.begin();
  }

  [[nodiscard]] StabilityCheckpoint checkpoint() {
    StabilityCheckpoint checkpoint;
    checkpoint.find = [this](int repeat) -> std::optional<StabilityRepeat> {
      const auto found = repeats_.find(repeat);
      if (found == repeats_.end()) return std::nullopt;
      return found->second;
    };
    checkpoint.keep = [this](int repeat, const StabilityRepeat& found) {
      file_.append(repeat_line(repeat, found));
    };
    return checkpoint;
  }

  [[nodiscard]] std::size_t n_recalled() const noexcept { return repeats_.size(); }
  [[nodiscard]] std::size_t n_dropped() const noexcept { return file_.n_dropped(); }
  void finish() noexcept { file_.remove(); }

 private:
  /// False if it is about something else.
  [[nodiscard]] bool load() {
    const auto records = file_.recall();
    if (!records) return false;
    try {
      for (const std::string& record : *records) {
        const json line = json::parse(record);
        repeats_[static_cast<int>(detail::whole_number(line.at("repeat")))] = {
            line.at("kept").get<std::vector<Index>>(),
            line.at("group_jaccard").get<std::vector<double>>(),
            line.at("pairs_together").get<std::vector<double>>()};
      }
    } catch (const std::exception&) {
      return false;  // checksums are right, contents are not ours
    }
    return true;
  }

  detail::ResultJournal file_;
  std::map<int, StabilityRepeat> repeats_;
};

StabilityJournal::StabilityJournal(std::filesystem::path path, const std::string& options,
                                   const Dataset& dataset, ForeignJournal foreign)
    : records_(std::make_unique<Records>(std::move(path), options, dataset, foreign)) {}
StabilityJournal::~StabilityJournal() = default;
StabilityJournal::StabilityJournal(StabilityJournal&&) noexcept = default;
StabilityJournal& StabilityJournal::operator=(StabilityJournal&&) noexcept = default;

StabilityCheckpoint StabilityJournal::checkpoint() {
  return records_->checkpoint();
}
std::size_t StabilityJournal::n_recalled() const noexcept {
  return records_->n_recalled();
}
std::size_t StabilityJournal::n_dropped() const noexcept {
  return records_->n_dropped();
}
void StabilityJournal::finish() noexcept {
  records_->finish();
}

}  // namespace sfg
