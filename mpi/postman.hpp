#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "mail.hpp"
#include "team.hpp"

namespace sfg::mpi {

/// A thread of the first rank that looks after the mail now and then, while the others compute.
/// That also lets MPI serve claims of ranks whose network cannot reach the counter by itself.
class Postman {
 public:
  Postman(Team& team, Mail& mail);
  ~Postman();
  Postman(const Postman&) = delete;
  Postman& operator=(const Postman&) = delete;

  /// What went wrong with the mail, if anything did. The caller holds Team::mutex().
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void work();

  Team& team_;
  Mail& mail_;
  std::exception_ptr error_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace sfg::mpi
