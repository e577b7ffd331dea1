// The baseline: what one writes first. A float Gram matrix by BLAS, and for each feature a pursuit
// on it with a growing Cholesky factor, all in float, nothing screened, nothing made exact.
//
//   gram_sketch DATA THREADS REPEAT
//
// prints the best time in seconds and the mean number of atoms as JSON.
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include "sfg/sfg.hpp"

namespace {

using sfg::Index;

constexpr float kEpsilon = 0.01F;
constexpr std::size_t kMostAtoms = 100;
constexpr float kDependent = 1e-4F;

std::vector<float> gram_matrix(const std::vector<float>& features, Index n, Index d) {
  const auto size = static_cast<std::size_t>(d);
  std::vector<float> gram(size * size);
  cblas_ssyrk(CblasColMajor, CblasUpper, CblasTrans, d, n, 1, features.data(), n, 0, gram.data(),
              d);
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t i = 0; i < j; ++i) gram[i * size + j] = gram[j * size + i];
  }
  return gram;
}

/// One target: atoms by the largest |correlation|, coefficients by L L' x = b.
class Pursuit {
 public:
  Pursuit(const std::vector<float>& gram, std::size_t d) : gram_(gram), d_(d), correlation_(d) {}

  std::size_t run(std::size_t target) {
    std::copy_n(gram_.begin() + static_cast<std::ptrdiff_t>(target * d_), d_, correlation_.begin());
    atoms_.clear();
    factor_.clear();
    float residual = 1;
    while (atoms_.size() < kMostAtoms) {
      const std::size_t best = largest(target);
      if (best == d_ || !grow(best)) break;
      solve(target);
      correlate(target);
      float left = 1;
      for (std::size_t l = 0; l < atoms_.size(); ++l) {
        left -= solution_[l] * gram_[target * d_ + atoms_[l]];
      }
      const float gain = residual - left;
      residual = left;
      if (gain < kEpsilon) break;
    }
    return atoms_.size();
  }

 private:
  std::size_t largest(std::size_t target) const {
    float best = 1e-6F;
    std::size_t place = d_;
    for (std::size_t k = 0; k < d_; ++k) {
      const float value = std::fabs(correlation_[k]);
      if (value > best && k != target) {
        best = value;
        place = k;
      }
    }
    return place;
  }

  [[nodiscard]] float& factor(std::size_t row, std::size_t column) {
    return factor_[row * (row + 1) / 2 + column];
  }

  /// Adds a row to the Cholesky factor; false if the atom depends on those before.
  bool grow(std::size_t atom) {
    const std::size_t t = atoms_.size();
    factor_.resize((t + 1) * (t + 2) / 2);
    float square = 1;
    for (std::size_t l = 0; l < t; ++l) {
      float value = gram_[atom * d_ + atoms_[l]];
      for (std::size_t m = 0; m < l; ++m) value -= factor(t, m) * factor(l, m);
      factor(t, l) = value / factor(l, l);
      square -= factor(t, l) * factor(t, l);
    }
    if (square < kDependent) return false;
    factor(t, t) = std::sqrt(square);
    atoms_.push_back(atom);
    return true;
  }

  void solve(std::size_t target) {
    const std::size_t t = atoms_.size();
    solution_.resize(t);
    for (std::size_t l = 0; l < t; ++l) {
      float value = gram_[target * d_ + atoms_[l]];
      for (std::size_t m = 0; m < l; ++m) value -= factor(l, m) * solution_[m];
      solution_[l] = value / factor(l, l);
    }
    for (std::size_t l = t; l-- > 0;) {
      for (std::size_t m = l + 1; m < t; ++m) solution_[l] -= factor(m, l) * solution_[m];
      solution_[l] /= factor(l, l);
    }
  }

  void correlate(std::size_t target) {
    std::copy_n(gram_.begin() + static_cast<std::ptrdiff_t>(target * d_), d_, correlation_.begin());
    for (std::size_t l = 0; l < atoms_.size(); ++l) {
      cblas_saxpy(static_cast<int>(d_), -solution_[l], gram_.data() + atoms_[l] * d_, 1,
                  correlation_.data(), 1);
    }
  }

  const std::vector<float>& gram_;
  std::size_t d_;
  std::vector<float> correlation_;
  std::vector<std::size_t> atoms_;
  std::vector<float> factor_;
  std::vector<float> solution_;
};

std::size_t represent_all(const sfg::UnitFeatures& unit, int threads) {
  const auto& matrix = std::get<sfg::DenseMatrix>(unit.matrix);
  const Index n = matrix.n_samples();
  const Index d = matrix.n_features();
  const std::vector<float> features(matrix.data(),
                                    matrix.data() + static_cast<std::ptrdiff_t>(n) * d);
  openblas_set_num_threads(threads);
  const std::vector<float> gram = gram_matrix(features, n, d);
  openblas_set_num_threads(1);
  std::vector<std::size_t> atoms(static_cast<std::size_t>(threads), 0);
  {
    std::vector<std::jthread> workers;
    for (int worker = 0; worker < threads; ++worker) {
      workers.emplace_back([&, worker] {
        Pursuit pursuit(gram, static_cast<std::size_t>(d));
        for (Index target = worker; target < d; target += threads) {
          atoms[worker] += pursuit.run(static_cast<std::size_t>(target));
        }
      });
    }
  }
  std::size_t total = 0;
  for (const std::size_t count : atoms) total += count;
  return total;
}

int run(const char* path, int threads, int repeat) {
  const sfg::Dataset dataset = sfg::read_dataset(path, {});
  double best = 0;
  std::size_t atoms = 0;
  for (int k = 0; k < repeat; ++k) {
    const auto start = std::chrono::steady_clock::now();
    const sfg::UnitFeatures unit = sfg::normalise(dataset.matrix, {});
    atoms = represent_all(unit, threads);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = k == 0 ? seconds : std::min(best, seconds);
  }
  std::printf("{\"seconds\": %.6f, \"mean_atoms\": %.4f}\n", best,
              static_cast<double>(atoms) / sfg::n_features(dataset.matrix));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: gram_sketch DATA THREADS REPEAT\n", stderr);
    return 2;
  }
  try {
    return run(argv[1], std::max(1, std::atoi(argv[2])), std::max(1, std::atoi(argv[3])));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gram_sketch: %s\n", error.what());
    return 1;
  }
}
