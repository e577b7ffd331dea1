#pragma once

#include <cstddef>

// The one fault of a run, as the environment tells it (see injector.cpp).
namespace faults {

/// What a call to the system does, which decides the faults that it can have.
enum class Call {
  writes,  ///< to a file in the folder, or to the folder
  reads,   ///< from a file in the folder
  starts,  ///< a thread, a process or a pipe
};

/// Counts a call. True if it must fail, with errno set; the process may end in here.
bool fails(Call call, bool touches);
bool fails(Call call, const char* path);
bool fails(Call call, int file);

/// How many of `n` bytes a call that writes or reads may move: half of them where it is cut short.
/// Negative, with errno set, where a signal interrupts it.
long bytes_to_move(int file, std::size_t n);

/// The process ends behind the first half of this write, if it is the one that is torn.
void tear(int file, const void* bytes, std::size_t n);

/// Cuts a file that was just mapped to half of its size, if it is the one.
void shrink(int file, std::size_t size);

/// Seconds to add to what a clock says: other ones at each call, also backward for a clock on the
/// wall; one that only goes forward leaps now and then.
long wall_clock_error();
long steady_clock_error();

}  // namespace faults
