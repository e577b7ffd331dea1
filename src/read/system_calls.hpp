#pragma once

namespace sfg::detail {

/// From here on this process can read, compute and write to `output` and standard error; whatever
/// else it tries to do to the machine fails with EPERM: network, other programs and processes,
/// files that are made, changed or removed. What it starts inherits the rule; nothing lifts it.
///
/// Linux's seccomp, on x86-64 and aarch64. Where the system does not have it or refuses it, nothing
/// changes. For a process of one thread.
void allow_only_reading(int output) noexcept;

}  // namespace sfg::detail
