#pragma once

#include <span>
#include <string>
#include <vector>

#include "pursuit/omp/orthogonal_fit.hpp"
#include "sfg/matrix.hpp"

namespace sfg::mpi {

/// An atom and its exact score.
struct Scored {
  Index feature = -1;
  double score = 0;
};

/// The atoms that may turn out to be the lowest one within a tie of the best, as parts of the
/// dictionary are searched one after the other: ascending, and each with a higher score than those
/// before it. Mostly one.
class Winners {
 public:
  void add(Scored scored);
  void clear() noexcept { list_.clear(); }
  /// The best score so far, 0 without any.
  [[nodiscard]] double best() const noexcept { return list_.empty() ? 0 : list_.back().score; }
  [[nodiscard]] std::span<const Scored> list() const noexcept { return list_; }

 private:
  std::vector<Scored> list_;
};

/// A residual on its way round the ring, looking for its next atom.
struct Search {
  detail::SampleVector residual;
  std::vector<Index> forbidden;  ///< atoms that must not win
  Index twin = -1;               ///< a repeated feature that may win nevertheless; -1: none
  Winners winners;
};

/// What a message carries of a search.
enum class Content { everything, winners };

/// Searches as bytes, and back into searches; those are made or reused.
void pack(std::span<const Search> searches, Content content, std::string& bytes);
void unpack(const std::string& bytes, Content content, std::size_t n_samples,
            std::vector<Search>& searches);

}  // namespace sfg::mpi
