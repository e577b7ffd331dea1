#include "explain_exception.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "sfg/error.hpp"

namespace sfg::cli {

int explain_exception(std::string_view who) {
  const auto say = [&](const std::string& what) {
    std::fputs(fmt::format("{}: {}\n", who, what).c_str(), stderr);
  };
  try {
    throw;
  } catch (const Error& error) {
    say(error.what());
    return exit_status(error.code());
  } catch (const std::bad_alloc&) {
    say("out of memory: set --memory below what is free, or use fewer --threads");
    return exit_status(ErrorCode::over_memory);
  } catch (const std::exception& error) {
    say(fmt::format("internal error: {}; this is a defect of sfg, please report it", error.what()));
    return exit_status(ErrorCode::internal);
  }
}

}  // namespace sfg::cli
