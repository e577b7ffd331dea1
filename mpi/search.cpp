#include "search.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "io/byte_record.hpp"
#include "pursuit/omp/tolerances.hpp"

namespace sfg::mpi {

// Layout, in the bytes of memory: the number of searches (std::uint32_t); of each one the numbers
// of forbidden atoms and of winners and the twin (3 x std::int32_t), the forbidden atoms, the
// winners (feature, score) and, if everything is carried, the residual: one number per sample.

void Winners::add(Scored scored) {
  const double threshold = std::max(best(), scored.score) - detail::kScoreTie;
  const auto place = std::ranges::lower_bound(list_, scored.feature, {}, &Scored::feature);
  const bool is_beaten = place != list_.begin() && std::prev(place)->score >= scored.score;
  if (scored.score < threshold || is_beaten) return;
  const auto at = list_.insert(place, scored);
  // Those behind it must have more to offer, all of them must be within a tie of the best.
  const auto behind = std::next(at);
  list_.erase(behind, std::find_if(behind, list_.end(), [&](const Scored& other) {
                return other.score > scored.score;
              }));
  std::erase_if(list_, [&](const Scored& other) { return other.score < threshold; });
}

void pack(std::span<const Search> searches, Content content, std::string& bytes) {
  bytes.clear();
  detail::add_value(bytes, static_cast<std::uint32_t>(searches.size()));
  for (const Search& search : searches) {
    const bool is_all = content == Content::everything;
    const auto winners = search.winners.list();
    detail::add_value(bytes, std::array<std::int32_t, 3>{
                                 is_all ? static_cast<std::int32_t>(search.forbidden.size()) : 0,
                                 static_cast<std::int32_t>(winners.size()), search.twin});
    if (is_all) detail::add_values(bytes, std::span<const Index>(search.forbidden));
    for (const Scored& scored : winners) {
      detail::add_value(bytes, scored.feature);
      detail::add_value(bytes, scored.score);
    }
    if (is_all) detail::add_values(bytes, std::span<const double>(search.residual).subspan(1));
  }
}

void unpack(const std::string& bytes, Content content, std::size_t n_samples,
            std::vector<Search>& searches) {
  detail::ByteReader reader(bytes);
  searches.resize(reader.take<std::uint32_t>());
  for (Search& search : searches) {
    const auto numbers = reader.take<std::array<std::int32_t, 3>>();
    search.twin = numbers[2];
    if (content == Content::everything) {
      search.forbidden.resize(static_cast<std::size_t>(numbers[0]));
      reader.take(std::span<Index>(search.forbidden));
    }
    search.winners.clear();
    for (std::int32_t k = 0; k < numbers[1]; ++k) {
      const auto feature = reader.take<Index>();
      search.winners.add({feature, reader.take<double>()});
    }
    if (content == Content::everything) {
      search.residual.resize(n_samples + 1);
      search.residual[0] = 0;
      reader.take(std::span<double>(search.residual).subspan(1));
    }
  }
}

}  // namespace sfg::mpi
