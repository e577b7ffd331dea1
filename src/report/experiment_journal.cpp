#include "sfg/experiment_journal.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/fingerprint.hpp"
#include "core/unicode.hpp"
#include "io/result_journal.hpp"
#include "io/whole_number.hpp"
#include "sfg/error.hpp"
#include "sfg/fingerprint.hpp"
#include "sfg/version.hpp"

namespace sfg {

namespace {

using detail::ResultJournal;
using nlohmann::json;

constexpr int kJournalVersion = 2;

/// JSON holds UTF-8 only, and names may be anything.
std::string valid_utf8(const std::string& name) {
  return detail::encode_utf8(detail::decode_utf8(name));
}

json header(const std::string& options) {
  return {{"format", "sfg-experiment-journal"},
          {"version", kJournalVersion},
          {"sfg_version", version()},
          {"options", options}};
}

json data_line(const std::string& name, const std::string& fingerprint) {
  return {{"data", name}, {"fingerprint", fingerprint}};
}

json cell_line(const std::string& name, const CellKey& key, const ExperimentCell& cell) {
  json line{{"cell", name},
            {"n_kept", key.n_kept},
            {"kept", detail::hexadecimal(key.kept)},
            {"n_selected", key.n_selected},
            {"converged", cell.status == EigenStatus::converged},
            {"empty", cell.n_empty},
            {"scores", nullptr}};
  if (cell.scores) {
    line["scores"] = {cell.scores->nmi, cell.scores->nmi_std, cell.scores->acc,
                      cell.scores->acc_std};
  }
  return line;
}

std::pair<CellKey, ExperimentCell> read_cell(const json& line) {
  CellKey key;
  key.n_kept = static_cast<Index>(detail::whole_number(line.at("n_kept")));
  key.kept = std::stoull(line.at("kept").get<std::string>(), nullptr, 16);
  key.n_selected = static_cast<Index>(detail::whole_number(line.at("n_selected")));
  ExperimentCell cell;
  cell.status =
      line.at("converged").get<bool>() ? EigenStatus::converged : EigenStatus::not_converged;
  cell.n_empty = static_cast<Index>(detail::whole_number(line.at("empty")));
  const json& scores = line.at("scores");
  if (!scores.is_null()) {
    cell.scores = {scores.at(0).get<double>(), scores.at(1).get<double>(),
                   scores.at(2).get<double>(), scores.at(3).get<double>()};
  }
  return {key, cell};
}

}  // namespace

/// The cells in memory and in the file.
class ExperimentJournal::Records {
 public:
  Records(std::filesystem::path path, const std::string& options, ForeignJournal foreign);

  [[nodiscard]] ExperimentCheckpoint cells_of(const std::string& name, const Dataset& dataset);
  [[nodiscard]] std::size_t n_recalled() const noexcept { return n_recalled_; }
  [[nodiscard]] std::size_t n_dropped() const noexcept { return file_.n_dropped(); }
  void finish() noexcept { file_.remove(); }

 private:
  struct DataCells {
    std::string fingerprint;
    std::map<CellKey, ExperimentCell> cells;
  };

  /// False if it belongs to another experiment.
  [[nodiscard]] bool load();

  ResultJournal file_;
  ForeignJournal foreign_;
  std::map<std::string, DataCells> data_;  ///< by name
  std::size_t n_recalled_ = 0;
};

ExperimentJournal::Records::Records(std::filesystem::path path, const std::string& options,
                                    ForeignJournal foreign)
    : file_(std::move(path), header(options).dump()), foreign_(foreign) {
  if (load()) return;
  if (foreign == ForeignJournal::refuse) file_.refuse("experiment");
  data_.clear();
  n_recalled_ = 0;
  file_.begin();
}

bool ExperimentJournal::Records::load() {
  const auto records = file_.recall();
  if (!records) return false;
  try {
    for (const std::string& record : *records) {
      const json line = json::parse(record);
      if (line.contains("data")) {
        data_[line.at("data").get<std::string>()] = {line.at("fingerprint").get<std::string>(), {}};
      } else {
        const auto [key, cell] = read_cell(line);
        data_[line.at("cell").get<std::string>()].cells[key] = cell;
        ++n_recalled_;
      }
    }
  } catch (const std::exception&) {
    return false;  // checksums are right, contents are not ours
  }
  return true;
}

ExperimentCheckpoint ExperimentJournal::Records::cells_of(const std::string& given_name,
                                                          const Dataset& dataset) {
  const std::string name = valid_utf8(given_name);
  const std::string fingerprint = fingerprint_of(dataset);
  DataCells& data = data_[name];
  if (!data.fingerprint.empty() && data.fingerprint != fingerprint) {
    if (foreign_ == ForeignJournal::refuse) {
      throw Error(ErrorCode::inconsistent_input,
                  fmt::format("holds results of other data that are also named {}", name),
                  file_.path().string(),
                  {"overwrite",
                   "remove it, give another {output}, or add {overwrite=true} to compute them "
                   "again"});
    }
    data = {};
  }
  if (data.fingerprint.empty()) {
    data.fingerprint = fingerprint;
    file_.append(data_line(name, fingerprint).dump());
  }
  ExperimentCheckpoint checkpoint;
  checkpoint.find = [&data](const CellKey& key) -> std::optional<ExperimentCell> {
    const auto found = data.cells.find(key);
    if (found == data.cells.end()) return std::nullopt;
    return found->second;
  };
  checkpoint.keep = [this, name](const CellKey& key, const ExperimentCell& cell) {
    file_.append(cell_line(name, key, cell).dump());
  };
  return checkpoint;
}

ExperimentJournal::ExperimentJournal(std::filesystem::path path, const std::string& options,
                                     ForeignJournal foreign)
    : records_(std::make_unique<Records>(std::move(path), options, foreign)) {}
ExperimentJournal::~ExperimentJournal() = default;
ExperimentJournal::ExperimentJournal(ExperimentJournal&&) noexcept = default;
ExperimentJournal& ExperimentJournal::operator=(ExperimentJournal&&) noexcept = default;

ExperimentCheckpoint ExperimentJournal::cells_of(const std::string& name, const Dataset& dataset) {
  return records_->cells_of(name, dataset);
}
std::size_t ExperimentJournal::n_recalled() const noexcept {
  return records_->n_recalled();
}
std::size_t ExperimentJournal::n_dropped() const noexcept {
  return records_->n_dropped();
}
void ExperimentJournal::finish() noexcept {
  records_->finish();
}

}  // namespace sfg
