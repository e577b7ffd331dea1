#pragma once

// What happens to the files in a folder, in order, for tests that ask what a power failure would
// leave of it. SFG_FAULT_RECORD names a folder outside that one: a line per event in its file
// "events" (what, inode, names, separated by tabs), and in the file with the number of the event
// what the inode held then.
namespace faults {

void record_opened(const char* path, bool is_new);
void record_written(int file);
/// A file or a folder was flushed to disk.
void record_flushed(int file);
void record_renamed(const char* from, const char* to);
void record_linked(const char* from, const char* to);
void record_removed(const char* path);

/// Whether there is something to record about this path, and no such file yet.
bool would_be_new(const char* path);

}  // namespace faults
