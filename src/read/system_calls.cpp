#include "read/system_calls.hpp"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SFG_CAN_FILTER_CALLS
#endif

#ifdef SFG_CAN_FILTER_CALLS

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace sfg::detail {

namespace {

#ifdef __x86_64__
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
/// Calls of the x32 interface are numbered from here on: the same calls, with other numbers.
constexpr std::uint32_t kOtherNumbers = 0x40000000U;
#else
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kOtherNumbers = 0x80000000U;
#endif

/// Numbers that older headers do not know; they are the same on all architectures.
constexpr std::uint32_t kPidfdSendSignal = 424;
constexpr std::uint32_t kIoUringSetup = 425;
constexpr std::uint32_t kIoUringEnter = 426;
constexpr std::uint32_t kPidfdOpen = 434;
constexpr std::uint32_t kClone3 = 435;
constexpr std::uint32_t kOpenat2 = 437;
constexpr std::uint32_t kPidfdGetfd = 438;
constexpr std::uint32_t kFchmodat2 = 452;

/// Network, programs, other processes, what changes files, and what gets around these.
constexpr std::uint32_t kForbidden[] = {
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_sendto,
    SYS_sendmsg,
    SYS_sendmmsg,
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_kill,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_setns,
    SYS_unshare,
    SYS_mount,
    SYS_umount2,
    SYS_bpf,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_memfd_create,
    SYS_perf_event_open,
    SYS_pwrite64,
    SYS_pwritev,
    SYS_pwritev2,
    SYS_sendfile,
    SYS_splice,
    SYS_tee,
    SYS_vmsplice,
    SYS_copy_file_range,
    SYS_io_setup,
    SYS_io_submit,
    SYS_truncate,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_unlinkat,
    SYS_renameat2,
    SYS_linkat,
    SYS_symlinkat,
    SYS_mkdirat,
    SYS_mknodat,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_setrlimit,
    kPidfdSendSignal,
    kPidfdOpen,
    kPidfdGetfd,
    kFchmodat2,
#ifdef SYS_renameat
    SYS_renameat,
#endif
#ifdef __x86_64__
    SYS_fork,
    SYS_vfork,
    SYS_creat,
    SYS_unlink,
    SYS_rename,
    SYS_link,
    SYS_symlink,
    SYS_mkdir,
    SYS_rmdir,
    SYS_mknod,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
};

/// Their arguments stand in memory, where a filter cannot look. "There is no such call" makes the C
/// library use the older ones.
constexpr std::uint32_t kUnknown[] = {kClone3, kOpenat2, kIoUringSetup, kIoUringEnter};

constexpr std::uint32_t kNumberPlace = offsetof(seccomp_data, nr);
/// The lower half of an argument: flags and descriptors are no larger.
constexpr std::uint32_t argument_place(unsigned k) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + k * sizeof(std::uint64_t));
}

/// Flags of open(): anything but reading what is there.
constexpr std::uint32_t kWritingFlags =
    O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);

/// The filter, instruction by instruction. The number of the call is loaded between its parts.
class Filter {
 public:
  void load(std::uint32_t place) { add(BPF_LD | BPF_W | BPF_ABS, place); }
  void give(std::uint32_t answer) { add(BPF_RET | BPF_K, answer); }
  /// The next `count` instructions only if the test holds.
  void only_if(std::uint16_t test, std::uint32_t value, std::uint8_t count) {
    add(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, 0, count);
  }
  void unless(std::uint16_t test, std::uint32_t value, std::uint8_t count) {
    add(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, count, 0);
  }
  void refuse(std::uint32_t call, std::uint32_t answer) {
    only_if(BPF_JEQ, call, 1);
    give(answer);
  }
  [[nodiscard]] sock_fprog program() { return {count_, instructions_.data()}; }

 private:
  void add(std::uint16_t code, std::uint32_t value, std::uint8_t if_true = 0,
           std::uint8_t if_false = 0) {
    instructions_[count_++] = {code, if_true, if_false, value};
  }

  std::array<sock_filter, 2 * (std::size(kForbidden) + std::size(kUnknown)) + 64> instructions_{};
  std::uint16_t count_ = 0;
};

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

/// Opening is for reading.
void restrict_opening(Filter& filter, std::uint32_t call, unsigned flags) {
  filter.only_if(BPF_JEQ, call, 4);
  filter.load(argument_place(flags));
  filter.only_if(BPF_JSET, kWritingFlags, 1);
  filter.give(kRefuse);
  filter.give(kAllow);
}

/// Writing goes to these two.
void restrict_writing(Filter& filter, std::uint32_t call, int output) {
  filter.only_if(BPF_JEQ, call, 5);
  filter.load(argument_place(0));
  filter.unless(BPF_JEQ, static_cast<std::uint32_t>(output), 2);
  filter.unless(BPF_JEQ, STDERR_FILENO, 1);
  filter.give(kRefuse);
  filter.give(kAllow);
}

/// A new thread is fine, a new process is not. An abort sends its signal to its own process.
void restrict_processes(Filter& filter) {
  filter.only_if(BPF_JEQ, SYS_clone, 4);
  filter.load(argument_place(0));
  filter.unless(BPF_JSET, CLONE_THREAD, 1);
  filter.give(kRefuse);
  filter.give(kAllow);
  filter.only_if(BPF_JEQ, SYS_tgkill, 4);
  filter.load(argument_place(0));
  filter.unless(BPF_JEQ, static_cast<std::uint32_t>(getpid()), 1);
  filter.give(kRefuse);
  filter.give(kAllow);
}

/// Limits can be asked for, not changed.
void restrict_limits(Filter& filter) {
  constexpr unsigned kNewLimit = 2;
  constexpr std::uint32_t kHalf = sizeof(std::uint32_t);
  filter.only_if(BPF_JEQ, SYS_prlimit64, 6);
  filter.load(argument_place(kNewLimit));
  filter.only_if(BPF_JEQ, 0, 3);
  filter.load(argument_place(kNewLimit) + kHalf);
  filter.only_if(BPF_JEQ, 0, 1);
  filter.give(kAllow);
  filter.give(kRefuse);
}

}  // namespace

void allow_only_reading(int output) noexcept {
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.unless(BPF_JEQ, kArchitecture, 1);
  filter.give(kRefuse);
  filter.load(kNumberPlace);
  filter.only_if(BPF_JGE, kOtherNumbers, 1);
  filter.give(kRefuse);
  for (const std::uint32_t call : kForbidden) filter.refuse(call, kRefuse);
  for (const std::uint32_t call : kUnknown) filter.refuse(call, SECCOMP_RET_ERRNO | ENOSYS);
#ifdef __x86_64__
  restrict_opening(filter, SYS_open, 1);
#endif
  restrict_opening(filter, SYS_openat, 2);
  restrict_writing(filter, SYS_write, output);
  restrict_writing(filter, SYS_writev, output);
  restrict_processes(filter);
  restrict_limits(filter);
  filter.give(kAllow);
  const sock_fprog program = filter.program();
  // Without the right to do so, a filter is taken only from a process that can gain no rights.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

}  // namespace sfg::detail

#else

namespace sfg::detail {

void allow_only_reading(int /*output*/) noexcept {}

}  // namespace sfg::detail

#endif
