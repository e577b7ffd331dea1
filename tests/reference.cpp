#include "reference.hpp"

#include <limits>

#include <set>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>

#include "core/random.hpp"
#include "pursuit/omp/tolerances.hpp"

namespace sfg::testing {

namespace {

using Vector = std::vector<long double>;

long double inner(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0L);
}

Vector column_of(const DenseMatrix& features, Index feature) {
  const auto column = features.column(feature);
  return {column.begin(), column.end()};
}

/// Orthonormal basis of the atoms, and the triangular factor, from scratch.
struct Basis {
  std::vector<Vector> directions;
  std::vector<Vector> factor;  ///< factor[t] holds <u_l, atom_t> for l <= t
};

Vector outside(const Basis& basis, Vector vector, Vector& products) {
  products.assign(basis.directions.size(), 0);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t l = 0; l < basis.directions.size(); ++l) {
      const long double product = inner(basis.directions[l], vector);
      for (std::size_t i = 0; i < vector.size(); ++i) vector[i] -= product * basis.directions[l][i];
      products[l] += product;
    }
  }
  return vector;
}

Basis basis_of(const DenseMatrix& features, const std::vector<Index>& atoms) {
  Basis basis;
  for (const Index atom : atoms) {
    Vector products;
    Vector rest = outside(basis, column_of(features, atom), products);
    const long double length = std::sqrt(inner(rest, rest));
    for (auto& value : rest) value /= length;
    products.push_back(length);
    basis.directions.push_back(rest);
    basis.factor.push_back(products);
  }
  return basis;
}

double score_of(const DenseMatrix& features, const Basis& basis, const Vector& residual, Index atom,
                PursuitMethod method) {
  Vector products;
  const Vector column = column_of(features, atom);
  const Vector rest = outside(basis, column, products);
  const auto length = static_cast<double>(std::sqrt(inner(rest, rest)));
  if (length < detail::kDependent) return 0;
  const auto product = static_cast<double>(std::fabs(inner(column, residual)));
  return method == PursuitMethod::ols ? product / length : product;
}

std::vector<double> solve(const Basis& basis, const Vector& target) {
  const std::size_t t = basis.directions.size();
  Vector x(t);
  for (std::size_t l = 0; l < t; ++l) x[l] = inner(basis.directions[l], target);
  for (std::size_t row = t; row-- > 0;) {
    x[row] /= basis.factor[row][row];
    for (std::size_t above = 0; above < row; ++above) x[above] -= basis.factor[row][above] * x[row];
  }
  return {x.begin(), x.end()};
}

}  // namespace

ReferenceRepresentation reference_pursuit(const DenseMatrix& features, Index target,
                                          const PursuitOptions& options) {
  ReferenceRepresentation result;
  const Vector wanted = column_of(features, target);
  if (inner(wanted, wanted) == 0) return result;
  double before = 1;
  for (;;) {
    const Basis basis = basis_of(features, result.atoms);
    Vector products;
    const Vector residual = outside(basis, wanted, products);
    result.residual = static_cast<double>(inner(residual, residual));
    result.coefficients = solve(basis, wanted);
    if (!result.atoms.empty()) {
      if (before - result.residual < options.epsilon - detail::kEpsilonSlack) return result;
      if (result.residual <= detail::kExactResidual) return result;
      if (static_cast<int>(result.atoms.size()) == options.max_atoms) return result;
    }
    before = result.residual;
    double best = 0;
    std::vector<double> scores(static_cast<std::size_t>(features.n_features()), 0.0);
    for (Index atom = 0; atom < features.n_features(); ++atom) {
      const bool chosen = std::ranges::find(result.atoms, atom) != result.atoms.end();
      if (atom == target || chosen) continue;
      const double score = score_of(features, basis, residual, atom, options.method);
      scores[atom] = score;
      best = std::max(best, score);
    }
    if (best <= detail::kScoreFloor) return result;
    const auto winner = std::ranges::find_if(
        scores, [&](double score) { return score >= best - detail::kScoreTie; });
    result.atoms.push_back(static_cast<Index>(winner - scores.begin()));
  }
}

std::vector<int> reference_groups(const FeatureGraph& graph, double threshold) {
  const auto d = static_cast<std::size_t>(graph.n_features());
  std::vector<std::vector<std::size_t>> linked(d);
  std::vector<int> in_degree(d, 0);
  for (std::size_t i = 0; i < d; ++i) {
    if (graph.failed[i] != 0) continue;
    const auto neighbours = graph.neighbours_of(static_cast<Index>(i));
    const auto weights = graph.weights_of(static_cast<Index>(i));
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      const auto j = static_cast<std::size_t>(neighbours[k]);
      ++in_degree[j];
      if (std::fabs(weights[k]) > threshold) {
        linked[i].push_back(j);
        linked[j].push_back(i);
      }
    }
  }
  std::vector<std::size_t> order(d);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return in_degree[i]; });
  std::vector<int> label(d, 0);
  int current_label = 1;
  for (const std::size_t node : order) {
    if (label[node] != 0) continue;
    label[node] = current_label;
    std::queue<std::size_t> queue;
    queue.push(node);
    while (!queue.empty()) {
      const std::size_t at = queue.front();
      queue.pop();
      for (const std::size_t next : linked[at]) {
        if (label[next] != 0) continue;
        label[next] = current_label;
        queue.push(next);
      }
    }
    ++current_label;
  }
  return label;
}

std::vector<Merge> reference_ward(const FeatureGraph& graph, const UnitFeatures& features) {
  const auto& matrix = std::get<DenseMatrix>(features.matrix);
  const auto n = static_cast<std::size_t>(matrix.n_samples());
  struct Group {
    std::set<Index> members;
    std::vector<double> sum;  // of the members, each turned to the side of the others
  };
  std::vector<Group> groups;
  for (Index i = 0; i < graph.n_features(); ++i) {
    if (features.kind[i] != FeatureKind::regular) continue;
    const auto column = matrix.column(i);
    groups.push_back({{i}, {column.begin(), column.end()}});
  }
  const auto adjacent = [&](const Group& a, const Group& b) {
    for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      for (const Index i : from->members) {
        for (const Index j : graph.neighbours_of(i)) {
          if (to->members.contains(j)) return true;
        }
      }
    }
    return false;
  };
  std::vector<Merge> merges;
  while (true) {
    double cheapest = std::numeric_limits<double>::infinity();
    std::size_t best_a = 0;
    std::size_t best_b = 0;
    double best_sign = 1;
    for (std::size_t a = 0; a < groups.size(); ++a) {
      for (std::size_t b = a + 1; b < groups.size(); ++b) {
        if (!adjacent(groups[a], groups[b])) continue;
        const auto size_a = static_cast<double>(groups[a].members.size());
        const auto size_b = static_cast<double>(groups[b].members.size());
        for (const double sign : {1.0, -1.0}) {
          double square = 0;
          for (std::size_t i = 0; i < n; ++i) {
            square += std::pow(groups[a].sum[i] / size_a - sign * groups[b].sum[i] / size_b, 2);
          }
          const double cost = size_a * size_b / (size_a + size_b) * square;
          if (cost < cheapest - 1e-12) {
            cheapest = cost;
            best_a = a;
            best_b = b;
            best_sign = sign;
          }
        }
      }
    }
    if (best_a == best_b) return merges;
    Group& into = groups[best_a];
    const Group from = groups[best_b];
    merges.push_back({*into.members.begin(), *from.members.begin(), cheapest});
    into.members.insert(from.members.begin(), from.members.end());
    for (std::size_t i = 0; i < n; ++i) into.sum[i] += best_sign * from.sum[i];
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(best_b));
    std::ranges::sort(groups, {}, [](const Group& group) { return *group.members.begin(); });
  }
}

std::vector<double> solve(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::fabs(a[i][k]) > std::fabs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

namespace {

double cover_objective(const UnitFeatures& features, const std::vector<Index>& kept) {
  const auto& matrix = std::get<DenseMatrix>(features.matrix);
  const auto n = static_cast<std::size_t>(matrix.n_samples());
  std::vector<std::vector<double>> a(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    a[i][i] = 1;
    for (std::size_t j = 0; j < n; ++j) {
      for (const Index s : kept) a[i][j] += matrix.column(s)[i] * matrix.column(s)[j];
    }
  }
  double objective = 0;
  for (Index i = 0; i < features.n_features(); ++i) {
    if (features.kind[i] != FeatureKind::regular) continue;
    double best = 0;
    for (const Index s : kept) best = std::max(best, std::pow(inner_product(features, i, s), 2));
    const auto column = matrix.column(i);
    const auto x = testing::solve(a, {column.begin(), column.end()});
    double form = 0;
    for (std::size_t k = 0; k < n; ++k) form += column[k] * x[k];
    objective += best / 2 + (1 - form) / 2;
  }
  return objective;
}

}  // namespace

std::vector<Index> reference_cover(const UnitFeatures& features, Index n_picks) {
  std::vector<Index> picks;
  while (static_cast<Index>(picks.size()) < n_picks) {
    double highest = -1;
    Index best = -1;
    for (Index j = 0; j < features.n_features(); ++j) {
      if (std::ranges::count(picks, j) > 0) continue;
      if (features.kind[j] != FeatureKind::regular) continue;
      auto with = picks;
      with.push_back(j);
      const double objective = cover_objective(features, with);
      if (objective > highest + 1e-10) {
        highest = objective;
        best = j;
      }
    }
    if (best < 0) break;
    picks.push_back(best);
  }
  return picks;
}

std::vector<int> canonical_labels(const std::vector<int>& labels) {
  std::map<int, int> names;
  std::vector<int> result;
  for (const int label : labels) {
    result.push_back(names.emplace(label, static_cast<int>(names.size())).first->second);
  }
  return result;
}

DenseMatrix random_matrix(Index n_samples, Index n_features, std::uint64_t seed) {
  detail::Random random(seed);
  DenseMatrix matrix(n_samples, n_features);
  for (Index feature = 0; feature < n_features; ++feature) {
    for (double& value : matrix.column(feature)) value = random.normal();
  }
  return matrix;
}

DenseMatrix clustered_matrix(Index n, Index d, std::uint64_t seed) {
  detail::Random random(seed);
  DenseMatrix x(n, d);
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i < n; ++i) {
      const Index cluster = i % 3;
      const double centre = j < 4 && cluster == j % 3 ? 8 : 2;
      x(i, j) = centre + (j < 4 ? 0.3 : 1.0) * random.normal();
    }
  }
  return x;
}

DenseMatrix tied_matrix(Index n_samples, Index n_features, std::uint64_t seed) {
  detail::Random random(seed);
  DenseMatrix matrix(n_samples, n_features);
  for (Index feature = 0; feature < n_features; ++feature) {
    const auto column = matrix.column(feature);
    const auto kind = random.below(8);
    if (kind == 0) continue;
    if (kind <= 2 && feature > 0) {
      const auto source = static_cast<Index>(random.below(static_cast<std::uint64_t>(feature)));
      const double sign = kind == 1 ? 1 : -1;
      for (std::size_t i = 0; i < column.size(); ++i) column[i] = sign * matrix.column(source)[i];
      continue;
    }
    for (double& value : column) value = static_cast<double>(random.below(3)) - 1;
  }
  return matrix;
}

UnitFeatures centred(const Matrix& matrix) {
  return normalise(matrix, {Centering::mean});
}

}  // namespace sfg::testing
