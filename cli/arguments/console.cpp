#include "console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "sfg/error.hpp"

namespace sfg::cli {

namespace {

std::atomic<bool> stop_requested = false;

extern "C" void request_stop(int signal_number) {
  stop_requested.store(true, std::memory_order_relaxed);
  std::signal(signal_number, SIG_DFL);
}

/// Characters of a UTF-8 text, for alignment.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool looks_like_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.,+-% e") == std::string_view::npos;
}

}  // namespace

void install_interrupt_handler() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // What the caller ignores stays ignored: `nohup`, and SIGINT for what a script has in the
    // background.
    if (std::signal(number, request_stop) == SIG_IGN) std::signal(number, SIG_IGN);
  }
}

void Console::configure(bool json, bool quiet, int verbose) {
  json_ = json;
  quiet_ = quiet;
  verbose_ = verbose;
}

void Console::write_out(const std::string& text) {
  clear_progress();
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void Console::print(const std::string& text) {
  if (!json_ && !quiet_ && !reserved_) write_out(text);
}

void Console::print_json(const nlohmann::ordered_json& document) {
  if (!json_) return;
  write_out(document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void Console::note(const std::string& text) {
  notes_.push_back(text);
  if (quiet_) return;
  clear_progress();
  std::fprintf(stderr, "sfg: note: %s\n", text.c_str());
}

void Console::detail(const std::string& text) {
  if (verbose_ == 0 || quiet_) return;
  clear_progress();
  std::fprintf(stderr, "sfg: %s\n", text.c_str());
}

std::function<void(std::string_view, double, double)> Console::progress() {
  if (quiet_ || isatty(STDERR_FILENO) == 0) return {};
  return [this](std::string_view stage, double done, double total) {
    using Clock = std::chrono::steady_clock;
    constexpr auto kRedraw = std::chrono::milliseconds(100);
    const auto now = Clock::now();
    if (stage != progress_stage_) {
      progress_stage_ = stage;
      stage_start_ = now;
      last_drawn_ = now;
    }
    if (now - last_drawn_ < kRedraw) return;
    last_drawn_ = now;
    const double elapsed = std::chrono::duration<double>(now - stage_start_).count();
    const double left = done > 0 ? elapsed * (total - done) / done : 0;
    const double rate = elapsed > 0 ? done / elapsed : 0;
    // Less than one a second would read as none.
    const std::string per_second =
        rate >= 1 ? with_commas(static_cast<std::int64_t>(rate)) + "/s  " : "";
    std::fprintf(stderr, "\r\033[K%s  %.0f %%  %s%s left", progress_stage_.c_str(),
                 100 * done / total, per_second.c_str(), duration(left).c_str());
    progress_drawn_ = true;
  };
}

void Console::clear_progress() {
  if (!progress_drawn_) return;
  std::fputs("\r\033[K", stderr);
  progress_drawn_ = false;
}

const std::atomic<bool>* Console::stop_flag() const {
  return &stop_requested;
}

void Console::finish() {
  clear_progress();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Error(ErrorCode::cannot_write,
                "standard output cannot be written to: is the disk full or the reader gone?");
  }
}

std::string Table::text(std::string_view indent) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  std::vector<bool> numeric(widths.size(), true);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      widths[c] = std::max(widths[c], width(rows_[r][c]));
      if (r > 0 && !rows_[r][c].empty() && !looks_like_number(rows_[r][c])) numeric[c] = false;
    }
  }
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line(indent);
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string padding(widths[c] - width(rows_[r][c]), ' ');
      line += numeric[c] ? padding + rows_[r][c] : rows_[r][c] + padding;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r > 0) continue;
    out += indent;
    for (const std::size_t w : widths) out += std::string(w, '-') + "  ";
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  return out;
}

std::string shown_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

std::string counted(std::int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", with_commas(number), noun, number == 1 ? "" : "s");
}

std::string duration(double seconds) {
  if (seconds < 90) return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 1 : 0);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string percent(double part, double whole) {
  const double share = whole > 0 ? 100 * part / whole : 0;
  // Not "100 %" or "0 %" unless it is exactly that.
  const bool rounds_away = (share > 99 && share < 100) || (share > 0 && share < 1);
  return fmt::format("{:.{}f} %", share, rounds_away ? 1 : 0);
}

}  // namespace sfg::cli
