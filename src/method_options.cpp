// Options of the whole method: names, checks, and what holds where nothing is given.
#include <fmt/format.h>

#include <array>

#include "core/names.hpp"
#include "sfg/error.hpp"
#include "sfg/pipeline.hpp"

namespace sfg {

namespace {

constexpr std::array kGroupings{std::pair{"compact", GroupingMethod::compact},
                                std::pair{"cover", GroupingMethod::cover},
                                std::pair{"lcs", GroupingMethod::lcs}};

bool is_lcs(const MethodOptions& options) {
  return options.grouping == GroupingMethod::lcs;
}

}  // namespace

std::string grouping_name(GroupingMethod method) {
  return detail::name_of(kGroupings, method);
}

GroupingMethod grouping_from_name(const std::string& name) {
  return detail::value_of(kGroupings, name, "grouping");
}

Centering centering_of(const MethodOptions& options) {
  return options.centering.value_or(is_lcs(options) ? Centering::none : Centering::mean);
}

RepresentativeOptions representative_of(const MethodOptions& options) {
  const auto usual = is_lcs(options) ? RepresentativeRule::in_degree : RepresentativeRule::medoid;
  return {options.representative.value_or(usual), options.priority, options.keep};
}

void check(const MethodOptions& options) {
  const auto refuse = [](const char* message) { throw Error(ErrorCode::invalid_option, message); };
  check(options.pursuit);
  check(options.graph);
  check(options.reduce);
  if (is_lcs(options)) {
    if (!options.threshold) check_theta(options.theta);
    if (options.edges == EdgeSource::nearest) {
      refuse(
          "the paper's groups (lcs) need the graph of a pursuit: nearest neighbours (knn) are "
          "for compact groups");
    }
  } else {
    check(options.level);
  }
  if (options.grouping == GroupingMethod::cover) {
    if (options.representative) {
      refuse("cover chooses the representatives itself: leave out the rule, or use compact groups");
    }
    if (options.centering == Centering::none) {
      refuse("cover needs centred features: centre them, or use compact groups");
    }
  }
}

std::string describe(const MethodOptions& options) {
  const bool centred = centering_of(options) == Centering::mean;
  const char* centring = centred ? "centred" : "not centred";
  const std::string level =
      is_lcs(options) ? std::string() : fmt::format(", level: {}", describe(options.level));
  if (options.grouping == GroupingMethod::cover) return fmt::format("cover, centred{}", level);
  if (options.edges == EdgeSource::nearest) {
    return fmt::format("{} nearest by |r|, {}{}", options.nearest.n_neighbours, centring, level);
  }
  const std::string pursuit =
      fmt::format("pursuit {}, epsilon {}, max-atoms {}, {}",
                  options.pursuit.method == PursuitMethod::ols ? "ols" : "omp",
                  options.pursuit.epsilon, options.pursuit.max_atoms, centring);
  return is_lcs(options) ? fmt::format("{}, max-angle {}", pursuit, options.graph.max_angle)
                         : pursuit + level;
}

}  // namespace sfg
