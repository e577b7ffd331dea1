#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sfg {

/// Why a call could not be carried out. Each code is one exit status of the command line.
enum class ErrorCode {
  invalid_option,      ///< a value or combination of options that has no meaning
  cannot_read,         ///< a file that cannot be opened or read, or a format this build lacks
  malformed_input,     ///< a file whose contents break its format, or missing values
  inconsistent_input,  ///< inputs that do not fit each other (names, shapes, labels)
  degenerate_data,     ///< data on which the question has no answer (one feature, all constant)
  cannot_write,        ///< an output that cannot be written or would overwrite another
  over_memory,         ///< more memory needed than the limit allows
  broken_relations,    ///< data that break what a model knows of them, where that is an error
  interrupted,         ///< the caller asked to stop
  internal,            ///< a broken invariant: a defect of sfg
};

/// What to do about a fault. The library does not know how its caller's users set an option (an
/// argument of a program, a parameter of Python), so the advice has a place for each option:
/// "raise {memory_limit} or lower {threads}", "add {features_in_rows=true}". Text of users and
/// files never goes into the advice: a brace in it would be taken for a place.
struct Hint {
  std::string field;   ///< the option it is about, empty if there is none
  std::string advice;  ///< empty if `what` says enough
};

/// How users write an option of the library: its name, and the value to give to it or nothing.
/// "true" is the value of a switch.
using FieldSpelling = std::function<std::string(std::string_view field, std::string_view value)>;

/// Thrown for faults of the caller and of files: says what is wrong, where and what to do.
/// Numerical outcomes (a pursuit that stalled) are never errors but part of the result.
class Error : public std::runtime_error {
 public:
  /// `fault` may be empty if the advice says it all: "{max_atoms} must be at least 1, not 0".
  Error(ErrorCode code, std::string fault, std::string where = {}, Hint hint = {});

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  /// What is wrong.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
  /// The file, with line and column if they are known. Empty if no file is to blame.
  [[nodiscard]] const std::string& where() const noexcept { return where_; }
  [[nodiscard]] const Hint& hint() const noexcept { return hint_; }

 private:
  ErrorCode code_;
  std::string fault_;
  std::string where_;
  Hint hint_;
};

/// A text with a place for each option ({name}, {name=value}), with options as users write them.
[[nodiscard]] std::string with_options_spelt(std::string_view text, const FieldSpelling& spelling);

/// "where: what; what to do", with options as the caller's users write them. `what()` has them as
/// the library does: memory_limit, missing=mean.
[[nodiscard]] std::string message(const Error& error, const FieldSpelling& spelling);

/// The exit status that stands for a code: 2, 3, 4, 5, 6, 7, 8, 9, 130 or 70.
[[nodiscard]] int exit_status(ErrorCode code) noexcept;

}  // namespace sfg
