#include "report/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "core/fingerprint.hpp"
#include "core/unicode.hpp"
#include "sfg/error.hpp"
#include "sfg/version.hpp"

namespace sfg::detail {

namespace {

using nlohmann::json;

constexpr int kJournalVersion = 1;
/// Hexadecimal digits of a checksum, and the blank behind them.
constexpr std::size_t kChecksumLength = 16;

std::string hexadecimal(std::uint64_t number) {
  return fmt::format("{:016x}", number);
}

std::string checksum(std::string_view text) {
  Fingerprint fingerprint;
  fingerprint.add(text);
  return hexadecimal(fingerprint.value());
}

/// A line as the file has it.
std::string with_checksum(const std::string& line) {
  return checksum(line) + " " + line + "\n";
}

/// JSON holds UTF-8 only, and names may be anything.
std::string valid_utf8(const std::string& name) {
  return encode_utf8(decode_utf8(name));
}

[[noreturn]] void cannot_write(const std::filesystem::path& path, int error_number) {
  throw Error(ErrorCode::cannot_write,
              fmt::format("{}: cannot be written: {}; check the folder's permissions and the space "
                          "left",
                          path.string(), std::generic_category().message(error_number)));
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
            {"kept", hexadecimal(key.kept)},
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
  key.n_kept = line.at("n_kept").get<Index>();
  key.kept = std::stoull(line.at("kept").get<std::string>(), nullptr, 16);
  key.n_selected = line.at("n_selected").get<Index>();
  ExperimentCell cell;
  cell.status =
      line.at("converged").get<bool>() ? EigenStatus::converged : EigenStatus::not_converged;
  cell.n_empty = line.at("empty").get<Index>();
  const json& scores = line.at("scores");
  if (!scores.is_null()) {
    cell.scores = {scores.at(0).get<double>(), scores.at(1).get<double>(),
                   scores.at(2).get<double>(), scores.at(3).get<double>()};
  }
  return {key, cell};
}

std::string read_all(int file, const std::filesystem::path& path) {
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16U);
  for (;;) {
    const ssize_t n = read(file, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      throw Error(ErrorCode::cannot_read, fmt::format("{}: cannot be read: {}", path.string(),
                                                      std::generic_category().message(errno)));
    }
    if (n == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

/// The lines up to the first one that is damaged, and where that begins.
std::vector<json> intact_lines(const std::string& text, std::size_t& end) {
  std::vector<json> lines;
  end = 0;
  for (;;) {
    const std::size_t stop = text.find('\n', end);
    if (stop == std::string::npos || stop - end <= kChecksumLength) return lines;
    const std::string_view line(text.data() + end, stop - end);
    const std::string_view contents = line.substr(kChecksumLength + 1);
    if (line.substr(0, kChecksumLength) != checksum(contents)) return lines;
    json parsed = json::parse(contents, nullptr, false);
    if (parsed.is_discarded()) return lines;
    lines.push_back(std::move(parsed));
    end = stop + 1;
  }
}

}  // namespace

std::string fingerprint_of(const Dataset& dataset) {
  Fingerprint fingerprint;
  fingerprint.add_number(static_cast<std::uint64_t>(n_samples(dataset.matrix)));
  fingerprint.add_number(static_cast<std::uint64_t>(n_features(dataset.matrix)));
  if (const auto* dense = std::get_if<DenseMatrix>(&dataset.matrix)) {
    for (Index j = 0; j < dense->n_features(); ++j) fingerprint.add(dense->column(j));
  } else {
    const auto& sparse = std::get<SparseMatrix>(dataset.matrix);
    fingerprint.add(std::span<const Offset>(sparse.starts));
    fingerprint.add(std::span<const Index>(sparse.rows));
    fingerprint.add(std::span<const double>(sparse.values));
  }
  if (dataset.labels) {
    for (const std::string& label : dataset.labels->values) {
      fingerprint.add(std::string_view(label));
    }
  }
  return hexadecimal(fingerprint.value());
}

Journal::Journal(std::filesystem::path path, const std::string& options, ForeignJournal foreign)
    : path_(std::move(path)), foreign_(foreign) {
  open();
  try {
    if (load(options)) return;
    if (foreign == ForeignJournal::refuse) {
      throw Error(ErrorCode::inconsistent_input,
                  fmt::format("{}: is what another experiment left behind when it was interrupted "
                              "(other options, or another version of sfg); remove it, give another "
                              "-o, or --force to begin anew",
                              path_.string()));
    }
    begin(options);
  } catch (...) {
    close(file_);
    throw;
  }
}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
}

void Journal::open() {
  constexpr mode_t kMode = 0666;
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  if (file_ < 0) cannot_write(path_, errno);
  if (flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(file_);
    throw Error(ErrorCode::cannot_write,
                fmt::format("{}: another run is writing to it; wait for it, or give another -o",
                            path_.string()));
  }
}

void Journal::begin(const std::string& options) {
  data_.clear();
  if (ftruncate(file_, 0) != 0) cannot_write(path_, errno);
  append(header(options).dump());
}

bool Journal::load(const std::string& options) {
  const std::string text = read_all(file_, path_);
  std::size_t end = 0;
  const std::vector<json> lines = intact_lines(text, end);
  if (lines.empty()) {
    // Nothing, or not even a whole first line: a run that was killed as it began.
    if (!with_checksum(header(options).dump()).starts_with(text)) return false;
    begin(options);
    return true;
  }
  if (lines.front() != header(options)) return false;
  try {
    for (std::size_t k = 1; k < lines.size(); ++k) {
      const json& line = lines[k];
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
  n_dropped_ = text.size() - end;
  if (n_dropped_ > 0 && ftruncate(file_, static_cast<off_t>(end)) != 0) cannot_write(path_, errno);
  return true;
}

void Journal::append(const std::string& line) {
  const std::string text = with_checksum(line);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(file_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) cannot_write(path_, errno);
    done += static_cast<std::size_t>(n);
  }
}

ExperimentMemory Journal::cells_of(const std::string& given_name, const Dataset& dataset) {
  const std::string name = valid_utf8(given_name);
  const std::string fingerprint = fingerprint_of(dataset);
  DataCells& data = data_[name];
  if (!data.fingerprint.empty() && data.fingerprint != fingerprint) {
    if (foreign_ == ForeignJournal::refuse) {
      throw Error(
          ErrorCode::inconsistent_input,
          fmt::format("{}: has cells of other data named {}; remove it, give another -o, or "
                      "--force to compute these anew",
                      path_.string(), name));
    }
    data = {};
  }
  if (data.fingerprint.empty()) {
    data.fingerprint = fingerprint;
    append(data_line(name, fingerprint).dump());
  }
  ExperimentMemory memory;
  memory.find = [&data](const CellKey& key) -> std::optional<ExperimentCell> {
    const auto found = data.cells.find(key);
    if (found == data.cells.end()) return std::nullopt;
    return found->second;
  };
  memory.keep = [this, name](const CellKey& key, const ExperimentCell& cell) {
    append(cell_line(name, key, cell).dump());
  };
  return memory;
}

void Journal::finish() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace sfg::detail
