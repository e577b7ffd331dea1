#include "io/mapped_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <utility>

#include "sfg/files.hpp"

namespace sfg {

namespace detail {

namespace {

/// What the handler must know about one mapping; it may only touch lock-free atomics.
struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<std::uintptr_t> begin = 0;
  std::atomic<std::uintptr_t> end = 0;
  std::atomic<bool> cut = false;
};

/// Files that are mapped at once; further ones are not mapped but read.
constexpr std::size_t kMostMappings = 64;
std::array<Slot, kMostMappings> slots;
struct sigaction handler_before {};

/// Puts zeros where the file is gone, from the page that was touched to the end of the mapping.
bool replace_lost_pages(std::uintptr_t address) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (Slot& slot : slots) {
    const std::uintptr_t begin = slot.begin.load();
    const std::uintptr_t end = slot.end.load();
    if (address < begin || address >= end) continue;
    const std::uintptr_t first = address / page * page;
    void* const place = reinterpret_cast<void*>(first);
    slot.cut.store(true);
    return mmap(place, end - first, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
           place;
  }
  return false;
}

extern "C" void on_bus_error(int number, siginfo_t* info, void* context) {
  if (replace_lost_pages(reinterpret_cast<std::uintptr_t>(info->si_addr))) return;
  // Not ours: whoever was there before is asked, else it happens again without a handler.
  const bool has_action = (handler_before.sa_flags & SA_SIGINFO) != 0;
  if (has_action && handler_before.sa_sigaction != nullptr) {
    handler_before.sa_sigaction(number, info, context);
  } else if (!has_action && handler_before.sa_handler != SIG_DFL &&
             handler_before.sa_handler != SIG_IGN) {
    handler_before.sa_handler(number);
  } else {
    std::signal(number, SIG_DFL);
  }
}

int take_slot(void* start, std::size_t size) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].taken.exchange(true)) continue;
    slots[i].cut.store(false);
    slots[i].begin.store(reinterpret_cast<std::uintptr_t>(start));
    slots[i].end.store(reinterpret_cast<std::uintptr_t>(start) + size);
    return static_cast<int>(i);
  }
  return -1;
}

void free_slot(int number) {
  Slot& slot = slots[number];
  slot.end.store(0);
  slot.begin.store(0);
  slot.taken.store(false);
}

}  // namespace

MappedFile::MappedFile(int descriptor, std::size_t size) {
  void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (start == MAP_FAILED) return;
  slot_ = take_slot(start, size);
  if (slot_ == kNoSlot) {
    munmap(start, size);
    return;
  }
  start_ = start;
  size_ = size;
}

MappedFile::~MappedFile() {
  if (start_ == nullptr) return;
  free_slot(slot_);
  munmap(start_, size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      slot_(std::exchange(other.slot_, kNoSlot)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(start_, other.start_);
  std::swap(size_, other.size_);
  std::swap(slot_, other.slot_);
  return *this;
}

bool MappedFile::was_cut() const noexcept {
  return slot_ != kNoSlot && slots[slot_].cut.load();
}

}  // namespace detail

void guard_mapped_files() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = detail::on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &detail::handler_before);
  });
}

}  // namespace sfg
