#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sfg {

/// What to do when an output file is already there.
enum class Existing { refuse, replace };

/// Files that appear all together or not at all: each is written to a temporary path beside its
/// target and renamed by commit(). Whatever was not committed is removed again.
///
/// A command with several outputs gives each a name when it starts and uses the names afterwards:
///
///     for (const char* ending : {".kept.txt", ".log"}) files.stage(ending, prefix + ending);
///     ...
///     files.write_text(".kept.txt", kept);
///     save_log(files.place(".log"));
///     files.commit();
class OutputFiles {
 public:
  explicit OutputFiles(Existing existing) : existing_(existing) {}
  ~OutputFiles();
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  /// Announces an output and returns the temporary path to write it to. Throws cannot_write at once
  /// if the file exists (and is not to be replaced) or its folder cannot be written to, so that a
  /// long computation never ends in that message.
  [[nodiscard]] std::filesystem::path stage(const std::filesystem::path& target);

  /// Announces an output under a name of the caller's choice: place() and write_text() know it by
  /// that name. A name can be used once.
  void stage(std::string_view name, const std::filesystem::path& target);

  /// Whether an output of this name was staged.
  [[nodiscard]] bool has(std::string_view name) const noexcept;

  /// The temporary path of the output of this name, which must be staged.
  [[nodiscard]] const std::filesystem::path& place(std::string_view name) const;

  /// Where the output of this name will be after commit().
  [[nodiscard]] const std::filesystem::path& target(std::string_view name) const;

  /// Writes a text to the output of this name, packed if that ends in .gz. Throws cannot_write.
  void write_text(std::string_view name, std::string_view text) const;

  /// stage() and write a text in one go.
  void add_text(const std::filesystem::path& target, std::string_view text);

  /// Flushes every staged file to disk and renames it. Throws cannot_write, also where another run
  /// made one of the files meanwhile and none is to be replaced; then all files are as they were
  /// before, as far as the file system lets them be put back (the message tells).
  void commit();

 private:
  struct Staged {
    std::string name;  ///< empty if it was staged without
    std::filesystem::path temporary;
    std::filesystem::path target;
  };
  void add(std::string_view name, const std::filesystem::path& target);
  [[nodiscard]] const Staged& find(std::string_view name) const;
  void discard() noexcept;

  Existing existing_;
  std::vector<Staged> staged_;
};

}  // namespace sfg
