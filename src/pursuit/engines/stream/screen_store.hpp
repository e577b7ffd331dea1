#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "pursuit/engines/stream/tile.hpp"
#include "pursuit/omp/duplicates.hpp"
#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// A vector in the words of a kernel, with how far that is from the vector itself.
///   |<f_k, q> - value(k)| <= error_k (length + error) + length_k error + rounding
struct PackedVector {
  std::vector<std::uint32_t> rows;  ///< in the order of TileTargets::words
  double unit = 1;                  ///< value of one step of the quantised words
  double along = 0;                 ///< component along the common direction
  double length = 0;                ///< of the rest
  double error = 0;                 ///< length of what quantising left out, rounded up
};

/// All features in the words of a kernel, in panels of 16, n bytes (int8) to 4 n bytes (f32) each;
/// without repeated ones and those that have no direction, which can never win.
/// If the features share a direction (positive data do), it is taken out first and kept exactly, as
/// one number per feature: the rest is shorter, so that the same bits say more about it.
class ScreenStore {
 public:
  ScreenStore(const UnitFeatures& dictionary, const Duplicates& duplicates,
              const TileKernel& kernel, const RunContext& run);
  // A copy would read the words of the original.
  ScreenStore(const ScreenStore&) = delete;
  ScreenStore& operator=(const ScreenStore&) = delete;
  ScreenStore(ScreenStore&&) = default;
  ScreenStore& operator=(ScreenStore&&) = default;
  ~ScreenStore() = default;

  /// Memory that a store of that size takes.
  [[nodiscard]] static double bytes(double n_samples, double n_features, const TileKernel& kernel) {
    return n_features * (n_samples * 4.0 / kernel.samples_per_word + 10 * sizeof(float));
  }
  [[nodiscard]] std::size_t n_panels() const noexcept { return panels_.size(); }
  [[nodiscard]] std::size_t n_words() const noexcept { return n_words_; }
  /// Words of a packed vector: its own and those that precede each segment.
  [[nodiscard]] std::size_t n_rows() const noexcept {
    return n_words_ + kernel_.n_segments(n_words_);
  }
  /// Panels that all vectors of a block are compared with before the next ones: they stay in the
  /// second-level cache.
  [[nodiscard]] std::size_t panels_per_chunk() const noexcept;
  /// Groups of vectors that one panel after the other is compared with: they stay in the
  /// first-level cache.
  [[nodiscard]] std::size_t groups_per_part() const noexcept;
  /// A panel for a kernel (without lane thresholds).
  [[nodiscard]] TilePanel panel(std::size_t number) const noexcept;
  /// The feature in a lane of a panel, -1 for a lane that is only filled up.
  [[nodiscard]] Index feature(std::size_t panel, std::size_t lane) const noexcept {
    return order_[panels_[panel] * kPanelFeatures + lane];
  }
  /// Place of a panel's first lane in arrays with one entry per lane.
  [[nodiscard]] std::size_t first_slot(std::size_t panel) const noexcept {
    return panels_[panel] * kPanelFeatures;
  }
  [[nodiscard]] std::size_t n_slots() const noexcept { return order_.size(); }

  /// Brings a vector over the samples into the same form.
  void pack(const double* vector, PackedVector& packed) const;
  /// A feature that is stored, as a vector to compare others with.
  void pack_stored(std::size_t panel, std::size_t lane, PackedVector& packed) const;

  /// Bound on the rounding of the kernel's own arithmetic with this vector.
  [[nodiscard]] double rounding(const PackedVector& packed) const noexcept {
    return rounding_ * (packed.length + std::fabs(packed.along));
  }
  /// Bound on the error of the value of a lane.
  [[nodiscard]] double error_bound(const PackedVector& packed, std::size_t panel,
                                   std::size_t lane) const noexcept {
    const std::size_t slot = first_slot(panel) + lane;
    return static_cast<double>(error_[slot]) * (packed.length + packed.error) +
           static_cast<double>(length_[slot]) * packed.error + rounding(packed);
  }
  /// Bound on the error of the value of any feature.
  [[nodiscard]] double largest_error_bound(const PackedVector& packed) const noexcept;
  /// Puts a vector into place t of a group for a kernel; `words` is the group's own memory.
  void set_target(const PackedVector& packed, std::size_t t, std::uint32_t* words,
                  TileTargets& targets) const noexcept;
  /// Raises the threshold of place t: scores below `threshold` need not be found.
  void set_threshold(const PackedVector& packed, std::size_t t, double threshold,
                     TileTargets& targets) const noexcept;

 private:
  /// Memory for one vector on its way into words.
  struct Scratch {
    std::vector<double> rest;
    std::vector<std::uint32_t> words;
    double length = 0;
    double error = 0;
  };
  void find_common_direction(const DenseMatrix& features, const RunContext& run);
  [[nodiscard]] std::vector<double> arrange(const DenseMatrix& features,
                                            std::vector<Scratch>& scratches, const RunContext& run);
  void allocate();
  void fill_panel(const DenseMatrix& features, const std::vector<double>& units, std::size_t panel,
                  Scratch& scratch);
  void store(const double* feature, double unit, std::size_t slot, Scratch& scratch);
  /// A vector as its component along the common direction and the rest.
  struct Split {
    double along;
    const double* rest;  ///< in `memory`, or the vector itself if there is no common direction
  };
  Split deflate(const double* vector, std::vector<double>& memory) const;
  [[nodiscard]] double choose_unit(const double* rest, int largest_integer) const;
  void quantise(const double* rest, double unit, Scratch& scratch) const;
  void add_start_rows(const std::uint32_t* words, std::vector<std::uint32_t>& rows) const;

  TileKernel kernel_;
  std::size_t n_samples_;
  std::size_t n_words_;
  double rounding_;
  std::vector<double> direction_;  ///< unit length, or empty
  std::vector<Index> order_;       ///< feature of each slot
  std::vector<std::size_t> panels_;
  std::vector<std::uint32_t> words_;
  std::uint32_t* aligned_words_ = nullptr;
  std::vector<float> scale_;
  std::vector<float> along_;
  std::vector<float> error_;
  std::vector<float> length_;
  std::vector<float> panel_error_;
  std::vector<float> panel_length_;
  std::vector<float> panel_inverse_scale_;
  std::vector<float> panel_along_;
  double largest_error_ = 0;   ///< of all panels
  double largest_length_ = 0;  ///< of all panels
};

}  // namespace sfg::detail
