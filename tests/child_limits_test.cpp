// What the process that reads h5ad and MAT 7.3 files may do, if such a file takes it over.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <thread>

#include "helpers.hpp"
#include "read/child.hpp"

namespace sfg {
namespace {

using detail::RawTable;
using testing::read_file;
using testing::TemporaryFolder;

/// What a call in the child gave: 0, or the number of its error.
int fault_in_child(const std::function<long()>& call) {
  const RawTable told = detail::read_in_child("x", {}, [&](const RunContext&) {
    errno = 0;
    const bool failed = call() < 0;
    RawTable table;
    table.matrix = DenseMatrix(1, 1);
    std::get<DenseMatrix>(table.matrix)(0, 0) = failed ? errno : 0;
    return table;
  });
  return static_cast<int>(std::get<DenseMatrix>(told.matrix)(0, 0));
}

/// The system and the processor have such filters.
bool has_filters() {
#if defined(__x86_64__) || defined(__aarch64__)
  // A null filter: EFAULT where filters are known, EINVAL where they are not.
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr) != 0 && errno == EFAULT;
#else
  return false;
#endif
}

class ChildLimits : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_filters()) GTEST_SKIP() << "this system cannot forbid calls";
  }

  const TemporaryFolder folder_;
};

TEST_F(ChildLimits, no_socket_can_be_opened) {
  for (const int domain : {AF_INET, AF_INET6, AF_UNIX}) {
    EXPECT_EQ(fault_in_child([&] { return socket(domain, SOCK_STREAM, 0); }), EPERM);
  }
  std::array<int, 2> ends{};
  EXPECT_EQ(fault_in_child([&] { return socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()); }),
            EPERM);
}

TEST_F(ChildLimits, a_socket_that_was_open_before_cannot_be_used_to_send) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  EXPECT_EQ(fault_in_child([&] { return send(ends[0], "x", 1, 0); }), EPERM);
  EXPECT_EQ(fault_in_child([&] { return write(ends[0], "x", 1); }), EPERM);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(ChildLimits, no_program_can_be_started) {
  EXPECT_EQ(fault_in_child([] {
              std::array<char*, 2> words{const_cast<char*>("true"), nullptr};
              return execv("/bin/true", words.data());
            }),
            EPERM);
  EXPECT_EQ(fault_in_child([] {
              const pid_t process = fork();
              if (process == 0) _exit(0);
              return process;
            }),
            EPERM);
  EXPECT_EQ(fault_in_child([] { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }), EPERM);
}

TEST_F(ChildLimits, no_file_can_be_made_changed_or_removed) {
  const auto there = folder_.write("there", "as it was").string();
  const auto other = (folder_ / "other").string();
  const auto refused = [&](const std::function<long()>& call) {
    EXPECT_EQ(fault_in_child(call), EPERM);
  };
  refused([&] { return open(other.c_str(), O_RDONLY | O_CREAT, 0600); });
  for (const int flags : {O_WRONLY, O_RDWR, O_WRONLY | O_TRUNC, O_WRONLY | O_APPEND}) {
    refused([&] { return open(there.c_str(), flags); });
  }
  refused([&] { return open(folder_.path().c_str(), O_TMPFILE | O_RDWR, 0600); });
  refused([&] { return unlink(there.c_str()); });
  refused([&] { return rename(there.c_str(), other.c_str()); });
  refused([&] { return link(there.c_str(), other.c_str()); });
  refused([&] { return symlink(there.c_str(), other.c_str()); });
  refused([&] { return mkdir(other.c_str(), 0700); });
  refused([&] { return truncate(there.c_str(), 0); });
  refused([&] { return chmod(there.c_str(), 0777); });
  const int open_before = open(there.c_str(), O_RDWR);
  refused([&] { return write(open_before, "x", 1); });
  refused([&] { return pwrite(open_before, "x", 1, 0); });
  refused([&] { return ftruncate(open_before, 0); });
  close(open_before);
  EXPECT_EQ(read_file(there), "as it was");
  EXPECT_FALSE(std::filesystem::exists(other));
}

TEST_F(ChildLimits, no_other_process_can_be_ended_and_no_limit_lifted) {
  EXPECT_EQ(fault_in_child([] { return kill(getppid(), 0); }), EPERM);
  EXPECT_EQ(fault_in_child([] { return syscall(SYS_tgkill, getppid(), getppid(), 0); }), EPERM);
  EXPECT_EQ(fault_in_child([] {
              rlimit limit{};
              if (getrlimit(RLIMIT_CPU, &limit) != 0) return 0;
              limit.rlim_cur = limit.rlim_max;
              return setrlimit(RLIMIT_CPU, &limit);
            }),
            EPERM);
}

TEST_F(ChildLimits, reading_threads_and_memory_are_as_ever) {
  const auto there = folder_.write("there", "words").string();
  EXPECT_EQ(fault_in_child([&] {
              std::string word;
              std::thread reader([&] { std::ifstream(there) >> word; });
              reader.join();
              const std::vector<char> much(std::size_t{1} << 24U, 'x');
              return word == "words" && much.back() == 'x' ? 0L : -1L;
            }),
            0);
}

/// In this process a filter can no longer be set.
void refuse_filters() {
  std::array<sock_filter, 6> rules{{
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, SYS_prctl},
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, args)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, PR_SET_SECCOMP},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  }};
  const sock_fprog program{static_cast<unsigned short>(rules.size()), rules.data()};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

TEST_F(ChildLimits, files_are_read_where_the_system_refuses_to_forbid_calls) {
  const pid_t process = fork();
  if (process == 0) {
    refuse_filters();
    // A socket shows that nothing was forbidden.
    _exit(fault_in_child([] { return socket(AF_UNIX, SOCK_STREAM, 0); }) == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace sfg
