#include "sfg/output_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <set>
#include <system_error>

#include "io/gzip.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& fault, const Hint& hint = {}) {
  throw Error(ErrorCode::cannot_write, fault, path.string(), hint);
}

std::string system_message(int error_number) {
  return std::generic_category().message(error_number);
}

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

void check_target(const fs::path& target, Existing existing) {
  std::error_code error;
  const auto status = fs::status(target, error);
  const bool is_link = fs::is_symlink(fs::symlink_status(target, error));
  if (is_link && !fs::exists(status)) {
    refuse(target, "is a link to a file that is not there; remove the link or give another name");
  }
  if (fs::is_directory(status)) refuse(target, "is a folder; give the name of a file");
  if (!fs::exists(status)) return;
  // Renaming over a device or a pipe would replace it.
  if (!fs::is_regular_file(status)) refuse(target, "is not an ordinary file; give another name");
  if (existing == Existing::refuse) {
    refuse(target, "exists already",
           {"overwrite", "give another name, or add {overwrite=true} to replace it"});
  }
}

/// A name to write to. The file is made at once, the only sure test that the folder can be written
/// to, and removed again: a run that is killed while it computes leaves none behind.
fs::path temporary_name(const fs::path& target) {
  static std::atomic<unsigned> counter = 0;
  for (;;) {
    fs::path temporary = target;
    temporary += fmt::format(".tmp-{}-{}", getpid(), counter.fetch_add(1));
    constexpr mode_t kMode = 0666;
    const int file = open(temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kMode);
    if (file >= 0) {
      close(file);
      std::error_code ignored;
      fs::remove(temporary, ignored);
      return temporary;
    }
    if (errno != EEXIST) {
      refuse(target, fmt::format("cannot be created: {}; check the folder's permissions and the "
                                 "length of the name",
                                 system_message(errno)));
    }
  }
}

/// Makes sure that a file's contents, or a folder's names, are on the disk.
void flush_to_disk(const fs::path& path, const fs::path& name_in_message) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    refuse(name_in_message, fmt::format("cannot be finished: {}", system_message(errno)));
  }
  const int status = fsync(file);
  const int error_number = errno;
  close(file);
  // Some file systems cannot flush: then there is nothing to wait for.
  if (status != 0 && error_number != EINVAL && error_number != ENOTSUP) {
    refuse(name_in_message, fmt::format("cannot be flushed to disk: {}; check the space left",
                                        system_message(error_number)));
  }
}

void write_file(const fs::path& path, std::string_view text, const fs::path& name_in_message) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) {
    refuse(name_in_message,
           fmt::format("writing failed: {}; check the space left", system_message(errno)));
  }
}

/// Gives a file its name. Where it must not replace another one, the system sees to it: that no
/// such file was there a moment ago says nothing about a second run with the same names.
std::error_code put_into_place(const fs::path& from, const fs::path& to, Existing existing) {
  const auto last_error = [] { return std::error_code(errno, std::generic_category()); };
  if (existing == Existing::replace) {
    return std::rename(from.c_str(), to.c_str()) == 0 ? std::error_code() : last_error();
  }
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
  if (errno != EINVAL && errno != ENOSYS) return last_error();
  // A file system without this: a second name is refused as well where there is such a file.
  if (link(from.c_str(), to.c_str()) != 0) return last_error();
  unlink(from.c_str());
  return {};
}

/// Second names of files that are about to be replaced, so that they can be put back.
class FormerFiles {
 public:
  /// Where the file system has no second names, a file cannot be put back.
  void remember(const fs::path& target) {
    std::error_code error;
    former_.emplace_back();
    if (!fs::exists(target, error)) return;
    former_.back() = temporary_name(target);
    fs::create_hard_link(target, former_.back(), error);
  }
  ~FormerFiles() {
    std::error_code ignored;
    for (const fs::path& former : former_) {
      if (!former.empty()) fs::remove(former, ignored);
    }
  }

  /// Puts the k-th file back, or removes what took the place of none. False if that fails.
  [[nodiscard]] bool put_back(std::size_t k, const fs::path& target) const {
    std::error_code error;
    if (former_[k].empty()) {
      fs::remove(target, error);
    } else {
      fs::rename(former_[k], target, error);
    }
    return !error;
  }

 private:
  std::vector<fs::path> former_;
};

}  // namespace

OutputFiles::~OutputFiles() {
  discard();
}

void OutputFiles::discard() noexcept {
  std::error_code ignored;
  for (const auto& file : staged_) fs::remove(file.temporary, ignored);
  staged_.clear();
}

fs::path OutputFiles::stage(const fs::path& target) {
  add({}, target);
  return staged_.back().temporary;
}

void OutputFiles::stage(std::string_view name, const fs::path& target) {
  if (has(name)) {
    throw Error(ErrorCode::internal, fmt::format("two outputs are called '{}'", name));
  }
  add(name, target);
}

void OutputFiles::add(std::string_view name, const fs::path& target) {
  if (!target.has_filename()) refuse(target, "is not the name of a file");
  std::error_code ignored;
  const auto folder = folder_of(target);
  if (!fs::is_directory(folder, ignored)) {
    refuse(target, fmt::format("the folder {} does not exist; create it first", folder.string()));
  }
  check_target(target, existing_);
  const auto is_same = [&](const Staged& other) {
    return fs::weakly_canonical(other.target, ignored) == fs::weakly_canonical(target, ignored);
  };
  if (std::ranges::any_of(staged_, is_same)) {
    refuse(target, "two outputs have the same name; give one of them another");
  }
  staged_.reserve(staged_.size() + 1);
  staged_.push_back({std::string(name), temporary_name(target), target});
}

bool OutputFiles::has(std::string_view name) const noexcept {
  return !name.empty() && std::ranges::find(staged_, name, &Staged::name) != staged_.end();
}

const OutputFiles::Staged& OutputFiles::find(std::string_view name) const {
  if (!has(name)) throw Error(ErrorCode::internal, fmt::format("no output is called '{}'", name));
  return *std::ranges::find(staged_, name, &Staged::name);
}

const fs::path& OutputFiles::place(std::string_view name) const {
  return find(name).temporary;
}

const fs::path& OutputFiles::target(std::string_view name) const {
  return find(name).target;
}

void OutputFiles::write_text(std::string_view name, std::string_view text) const {
  const Staged& file = find(name);
  const bool packs = file.target.extension() == ".gz";
  const std::string packed = packs ? detail::gzip(text) : std::string();
  write_file(file.temporary, packs ? std::string_view(packed) : text, file.target);
}

void OutputFiles::add_text(const fs::path& target, std::string_view text) {
  write_file(stage(target), text, target);
}

void OutputFiles::commit() {
  std::set<fs::path> folders;
  for (const auto& file : staged_) {
    check_target(file.target, existing_);
    flush_to_disk(file.temporary, file.target);
    folders.insert(folder_of(file.target));
  }
  FormerFiles former;
  for (const auto& file : staged_) former.remember(file.target);
  for (std::size_t k = 0; k < staged_.size(); ++k) {
    const std::error_code error =
        put_into_place(staged_[k].temporary, staged_[k].target, existing_);
    if (!error) continue;
    bool all_back = true;
    for (std::size_t done = 0; done < k; ++done) {
      all_back = former.put_back(done, staged_[done].target) && all_back;
    }
    const fs::path target = staged_[k].target;
    discard();
    const char* state =
        all_back ? "all files are as they were before" : "some of the other outputs are in place";
    if (error == std::errc::file_exists) {
      refuse(target, fmt::format("exists already: another run made it meanwhile; {}", state),
             {"overwrite", "give another name, or add {overwrite=true} to replace it"});
    }
    refuse(target, fmt::format("cannot be put into place: {}; {}", error.message(), state));
  }
  staged_.clear();
  for (const auto& folder : folders) flush_to_disk(folder, folder);
}

}  // namespace sfg
