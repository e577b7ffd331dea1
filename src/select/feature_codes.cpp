#include "select/feature_codes.hpp"

#include <algorithm>
#include <numeric>

#include "core/memory.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// A feature with no more different values than this, each of them twice on average, is discrete:
/// the number up to which whole numbers as labels are classes (kMostClassNumbers).
constexpr Index kFewValues = 20;

/// Different values that are taken as they are.
Index few_values(std::size_t n_samples, Index n_bins) {
  return std::max(n_bins, std::min(kFewValues, static_cast<Index>(n_samples / 2)));
}

/// Values of one feature with the samples that are not stored, which are zero.
struct Coder {
  std::vector<std::uint32_t> order;
  std::vector<Index> before;  ///< by different value: samples below it
  std::vector<Index> code;    ///< by different value
  std::vector<Index> rank;    ///< by stored value: which different value it is
  Index zero_rank = -1;

  void rank_values(std::span<const double> values, Index n_zeros) {
    order.resize(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t k) { return values[k]; });
    before.clear();
    rank.resize(values.size());
    zero_rank = -1;
    Index n_below = 0;
    const auto take_zeros = [&] {
      zero_rank = static_cast<Index>(before.size());
      before.push_back(n_below);
      n_below += n_zeros;
    };
    for (std::size_t k = 0; k < order.size(); ++k) {
      const double value = values[order[k]];
      const bool is_new = k == 0 || value != values[order[k - 1]];
      if (n_zeros > 0 && zero_rank < 0 && value > 0) take_zeros();
      if (is_new) before.push_back(n_below);
      rank[order[k]] = static_cast<Index>(before.size()) - 1;
      ++n_below;
    }
    if (n_zeros > 0 && zero_rank < 0) take_zeros();
  }

  /// Returns how many codes there are.
  Index find_codes(std::size_t n_samples, Index n_bins) {
    const auto n_different = static_cast<Index>(before.size());
    code.resize(before.size());
    std::iota(code.begin(), code.end(), Index{0});
    if (n_different <= few_values(n_samples, n_bins)) return n_different;
    Index n_codes = 0;
    std::int64_t last_bin = -1;
    for (std::size_t k = 0; k < before.size(); ++k) {
      const std::int64_t bin =
          std::int64_t{before[k]} * n_bins / static_cast<std::int64_t>(n_samples);
      n_codes += bin != last_bin ? 1 : 0;
      last_bin = bin;
      code[k] = n_codes - 1;
    }
    return n_codes;
  }
};

}  // namespace

CodedVariable coded(std::span<const double> values, Index n_bins) {
  Coder coder;
  coder.rank_values(values, 0);
  CodedVariable variable;
  variable.n_values = coder.find_codes(values.size(), n_bins);
  for (const Index rank : coder.rank) {
    variable.codes.push_back(static_cast<std::uint16_t>(coder.code[rank]));
  }
  return variable;
}

FeatureCodes::FeatureCodes(const Matrix& features, Index n_bins, const RunContext& run)
    : sparse_(std::get_if<SparseMatrix>(&features)),
      n_samples_(sfg::n_samples(features)),
      n_values_(static_cast<std::size_t>(sfg::n_features(features))) {
  const auto n_codes = static_cast<double>(n_stored(features));
  require_memory(n_codes + 2.0 * sizeof(Index) * static_cast<double>(n_values_.size()), run,
                 "the features in bins", "raise {memory_limit}");
  codes_.resize(static_cast<std::size_t>(n_stored(features)));
  if (sparse_ != nullptr) {
    zero_code_.resize(n_values_.size());
    code_sparse(n_bins, run);
  } else {
    code_dense(std::get<DenseMatrix>(features), n_bins, run);
  }
}

void FeatureCodes::code_dense(const DenseMatrix& dense, Index n_bins, const RunContext& run) {
  std::vector<Coder> coders(static_cast<std::size_t>(worker_count(run)));
  const auto n = static_cast<std::size_t>(n_samples_);
  parallel_for_workers(run, {}, n_features(), [&](std::int64_t item, int worker) {
    Coder& coder = coders[worker];
    coder.rank_values(dense.column(static_cast<Index>(item)), 0);
    n_values_[item] = coder.find_codes(n, n_bins);
    std::uint8_t* to = codes_.data() + static_cast<std::size_t>(item) * n;
    for (std::size_t i = 0; i < n; ++i) {
      to[i] = static_cast<std::uint8_t>(coder.code[coder.rank[i]]);
    }
  });
}

void FeatureCodes::code_sparse(Index n_bins, const RunContext& run) {
  std::vector<Coder> coders(static_cast<std::size_t>(worker_count(run)));
  parallel_for_workers(run, {}, n_features(), [&](std::int64_t item, int worker) {
    Coder& coder = coders[worker];
    const auto values = sparse_->column_values(static_cast<Index>(item));
    coder.rank_values(values, n_samples_ - static_cast<Index>(values.size()));
    n_values_[item] = coder.find_codes(static_cast<std::size_t>(n_samples_), n_bins);
    if (coder.zero_rank >= 0) {
      zero_code_[item] = static_cast<std::uint8_t>(coder.code[coder.zero_rank]);
    }
    std::uint8_t* to = codes_.data() + sparse_->starts[item];
    for (std::size_t k = 0; k < values.size(); ++k) {
      to[k] = static_cast<std::uint8_t>(coder.code[coder.rank[k]]);
    }
  });
}

std::span<const std::uint8_t> FeatureCodes::codes_of(Index feature) const noexcept {
  if (sparse_ != nullptr) {
    return {codes_.data() + sparse_->starts[feature], sparse_->column_rows(feature).size()};
  }
  const auto n = static_cast<std::size_t>(n_samples_);
  return {codes_.data() + static_cast<std::size_t>(feature) * n, n};
}

CodedVariable FeatureCodes::variable(Index feature) const {
  const auto codes = codes_of(feature);
  CodedVariable variable{{}, n_values_[feature]};
  if (sparse_ == nullptr) {
    variable.codes.assign(codes.begin(), codes.end());
    return variable;
  }
  variable.codes.assign(static_cast<std::size_t>(n_samples_), zero_code_[feature]);
  const auto rows = sparse_->column_rows(feature);
  for (std::size_t k = 0; k < rows.size(); ++k) variable.codes[rows[k]] = codes[k];
  return variable;
}

void FeatureCodes::count_joint(Index feature, const CodedVariable& variable,
                               std::span<const std::int32_t> counts,
                               std::span<std::int32_t> table) const {
  const auto codes = codes_of(feature);
  const auto width = static_cast<std::size_t>(variable.n_values);
  std::ranges::fill(table, 0);
  if (sparse_ == nullptr) {
    for (std::size_t i = 0; i < codes.size(); ++i) ++table[codes[i] * width + variable.codes[i]];
    return;
  }
  // As if all samples were zero, and then those that are not.
  const auto rows = sparse_->column_rows(feature);
  const std::size_t zeros = zero_code_[feature] * width;
  std::ranges::copy(counts, table.begin() + static_cast<std::ptrdiff_t>(zeros));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::uint16_t other = variable.codes[rows[k]];
    --table[zeros + other];
    ++table[codes[k] * width + other];
  }
}

}  // namespace sfg::detail
