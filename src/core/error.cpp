#include "sfg/error.hpp"

namespace sfg {

int exit_status(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_option:
      return 2;
    case ErrorCode::cannot_read:
      return 3;
    case ErrorCode::malformed_input:
      return 4;
    case ErrorCode::inconsistent_input:
      return 5;
    case ErrorCode::degenerate_data:
      return 6;
    case ErrorCode::cannot_write:
      return 7;
    case ErrorCode::over_memory:
      return 8;
    case ErrorCode::interrupted:
      return 130;
    case ErrorCode::internal:
      return 70;
  }
  return 70;
}

}  // namespace sfg
