#pragma once

#include <stdexcept>
#include <string>

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
  interrupted,         ///< the caller asked to stop
  internal,            ///< a broken invariant: a defect of sfg
};

/// Thrown for faults of the caller and of files: the message says what, where and what to do.
/// Numerical outcomes (a pursuit that stalled) are never errors but part of the result.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// The exit status that stands for a code: 2, 3, 4, 5, 6, 7, 8, 130 or 70.
[[nodiscard]] int exit_status(ErrorCode code) noexcept;

}  // namespace sfg
