#include "read/other_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "core/text.hpp"
#include "io/file_memory.hpp"
#include "io/unpack.hpp"
#include "io/zip.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

struct OtherKind {
  std::string_view magic;
  std::string_view what;
  std::string_view advice;  ///< FILE stands for its name
};

constexpr std::string_view kUnpackFirst = "unpack it first";
constexpr std::string_view kByR = "convert it in R: write.csv(readRDS('FILE'), 'table.csv')";
constexpr std::string_view kByOffice = "open it in LibreOffice or Excel and save it as CSV";

constexpr std::array<OtherKind, 17> kKinds{{
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook of the old kind (.xls)", kByOffice},
    {"PAR1", "a Parquet file",
     "convert it: python3 -c \"import pandas; pandas.read_parquet('FILE').to_csv('table.csv')\""},
    {"ARROW1", "a Feather (Arrow) file",
     "convert it: python3 -c \"import pandas; pandas.read_feather('FILE').to_csv('table.csv')\""},
    {"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", kUnpackFirst},
    {"Rar!\x1a\x07", "a RAR archive", kUnpackFirst},
    {"SQLite format 3", "an SQLite database",
     "convert a table of it: sqlite3 -header -csv FILE 'select * from NAME' > table.csv"},
    {"%PDF-", "a PDF document", "give the table itself"},
    {"\x89PNG", "a picture (PNG)", "give the table itself"},
    {"\xff\xd8\xff", "a picture (JPEG)", "give the table itself"},
    {{"X\n\0\0", 4}, "an R object (.rds)", kByR},
    {"RDX2\n", "an R workspace (.rda)", "convert it in R: load('FILE'); write.csv(x, 'table.csv')"},
    {"RDX3\n", "an R workspace (.rda)", "convert it in R: load('FILE'); write.csv(x, 'table.csv')"},
    {"\x80\x04\x95", "a Python pickle", "save the table with to_csv() or numpy.save()"},
    {"\x80\x05\x95", "a Python pickle", "save the table with to_csv() or numpy.save()"},
    {"<stata_dta>", "a Stata file",
     "convert it: python3 -c \"import pandas; pandas.read_stata('FILE').to_csv('table.csv')\""},
    {"$FL2", "an SPSS file", "convert it: save it as CSV in SPSS"},
    {"version https://git-lfs", "a pointer of Git LFS in place of the file",
     "fetch the file itself: git lfs pull"},
}};

[[noreturn]] void refuse(const std::string& name, std::string_view what, std::string_view advice) {
  std::string text(advice);
  const auto place = text.find("FILE");
  if (place != std::string::npos) text.replace(place, std::string_view("FILE").size(), name);
  throw Error(ErrorCode::malformed_input,
              fmt::format("is {}, which sfg does not read; {}", what, text), name);
}

std::string stem_of(const std::string& member) {
  return std::filesystem::path(member).stem().string();
}

bool has(const std::vector<ZipMember>& members, std::string_view name) {
  return std::ranges::find(members, name, &ZipMember::name) != members.end();
}

/// Workbooks are zip archives too, and so are graphs and sparse matrices.
void refuse_other_archives(const std::string& name, const std::vector<ZipMember>& members) {
  if (has(members, "xl/workbook.xml")) {
    refuse(name, "an Excel workbook (.xlsx)",
           "save it as CSV there, or: xlsx2csv FILE table.csv (package xlsx2csv)");
  }
  if (has(members, "xl/workbook.bin")) refuse(name, "an Excel workbook (.xlsb)", kByOffice);
  if (has(members, "mimetype") && has(members, "content.xml")) {
    refuse(name, "an OpenDocument file (.ods)", kByOffice);
  }
  if (has(members, "indptr.npy") && has(members, "angle.npy")) {
    refuse(name, "a graph that 'sfg graph' wrote, no table", "give it to 'sfg sweep'");
  }
  if (has(members, "indptr.npy") && has(members, "indices.npy")) {
    refuse(name, "a sparse matrix of scipy (.npz)",
           "convert it: python3 -c \"import scipy.io, scipy.sparse; "
           "scipy.io.mmwrite('table.mtx', scipy.sparse.load_npz('FILE'))\"");
  }
}

/// Neither a folder nor what macOS adds to every archive.
bool is_file(const ZipMember& member) {
  return !member.name.ends_with('/') && !member.name.starts_with("__MACOSX/") &&
         !member.name.ends_with(".DS_Store");
}

const ZipMember& chosen(const std::string& archive, const std::vector<ZipMember>& files,
                        const std::string& wanted) {
  const auto is_wanted = [&](const ZipMember& file) {
    return file.name == wanted || stem_of(file.name) == wanted;
  };
  const auto found = std::ranges::find_if(files, is_wanted);
  if (!wanted.empty() && found != files.end()) return *found;
  if (wanted.empty() && files.size() == 1) return files.front();
  constexpr std::size_t kShown = 5;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(files.size(), kShown); ++i) {
    names.push_back(escaped(files[i].name));
  }
  if (files.size() > kShown) names.push_back(fmt::format("and {} more", files.size() - kShown));
  throw Error(
      ErrorCode::inconsistent_input,
      fmt::format("{}, it has {}",
                  wanted.empty() ? "the archive does not hold one file"
                                 : fmt::format("the archive has no file '{}'", escaped(wanted)),
                  names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))),
      archive, {"variable", "choose one with {variable=NAME}"});
}

/// Whether a text starts with these lower-case letters, whatever the case of its own.
bool starts_like(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::ranges::equal(text.substr(0, lower.size()), lower, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

/// An object with a first key, or a list that closes at the end of the file. A heading may be
/// "[mm]".
bool is_json(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto second = text.find_first_not_of(kBlanks, 1);
  if (second == std::string_view::npos) return false;
  if (text.front() == '{') return text[second] == '"' || text[second] == '}';
  const auto last = text.find_last_not_of(kBlanks);
  return text.front() == '[' && text[last] == ']' && last > second;
}

/// JSON, HTML and XML, which may start with blank lines.
void refuse_markup(const std::string& name, std::string_view bytes) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const auto first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return;
  const auto text = bytes.substr(first);
  if (starts_like(text, "<!doctype html") || starts_like(text, "<html")) {
    refuse(name, "an HTML page",
           "this is often the page of a download, or of an error, in place of the file: download "
           "it again");
  }
  if (starts_like(text, "<?xml")) refuse(name, "an XML document", kByOffice);
  if (!is_json(text)) return;
  if (text.find("\"sfg-model\"") != std::string_view::npos) {
    refuse(name, "a model of sfg, no table",
           "'sfg apply MODEL DATA' and 'sfg explain MODEL FEATURE' take it");
  }
  const bool has_lines = text.front() == '{' && text.find("}\n{") != std::string_view::npos;
  refuse(name, "a JSON document",
         has_lines ? "convert it: python3 -c \"import pandas; pandas.read_json('FILE', "
                     "lines=True).to_csv('table.csv')\""
                   : "convert it: python3 -c \"import pandas; "
                     "pandas.read_json('FILE').to_csv('table.csv')\"");
}

}  // namespace

bool is_zip(std::string_view bytes) noexcept {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06");
}

std::unique_ptr<InputBytes> table_in_zip(const InputBytes& archive, const ReadOptions& options,
                                         const RunContext& run) {
  std::vector<ZipMember> members = zip_members(archive.name(), archive.bytes());
  refuse_other_archives(archive.name(), members);
  std::erase_if(members, [](const ZipMember& member) { return !is_file(member); });
  const ZipMember& member = chosen(archive.name(), members, options.variable);
  check_unpacked_ratio(archive.name(), "zip", static_cast<double>(member.size),
                       static_cast<double>(member.packed_size), run);
  const std::size_t limit =
      run.memory_limit > 0 ? run.memory_limit : memory_for_file(archive.given_size());
  std::string contents = read_zip_member(archive.name(), archive.bytes(), member.name, limit);
  const std::string name = fmt::format("{}: {}", archive.name(), escaped(member.name));
  return std::make_unique<InputBytes>(name, std::move(contents), archive.given_size());
}

void refuse_other_kinds(const InputBytes& input) {
  constexpr std::size_t kTarPlace = 257;
  const std::string_view bytes = input.bytes();
  for (const OtherKind& kind : kKinds) {
    if (bytes.starts_with(kind.magic)) refuse(input.name(), kind.what, kind.advice);
  }
  if (bytes.size() > kTarPlace && bytes.substr(kTarPlace).starts_with("ustar")) {
    refuse(input.name(), "a tar archive", kUnpackFirst);
  }
  refuse_markup(input.name(), bytes);
}

}  // namespace sfg::detail
