#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pursuit/tile.hpp"
#include "sfg/matrix.hpp"
#include "sfg/run.hpp"

namespace sfg::detail {

/// A vector in the words of a kernel, with how far that is from the vector itself.
///   |<f_k, q> - value(k)| <= error_k (length + error) + length_k error + rounding
struct PackedVector {
  std::vector<std::uint32_t> words;
  std::int32_t start = 0;
  double unit = 1;    ///< value of one step of the quantised words
  double along = 0;   ///< component along the common direction
  double length = 0;  ///< of the rest
  double error = 0;   ///< length of what quantising left out, rounded up
};

/// All features in the words of a kernel, in panels of 16, n bytes (int8) to 4 n bytes (f32) each.
/// If the features share a direction (positive data do), it is taken out first and kept exactly, as
/// one number per feature: the rest is shorter, so that the same bits say more about it.
class ScreenStore {
 public:
  ScreenStore(const DenseMatrix& features, const TileKernel& kernel, const Run& run);

  [[nodiscard]] std::size_t n_panels() const noexcept { return panels_.size(); }
  [[nodiscard]] std::size_t n_words() const noexcept { return n_words_; }
  /// Bytes of one panel.
  [[nodiscard]] std::size_t panel_bytes() const noexcept {
    return n_words_ * kPanelFeatures * sizeof(std::uint32_t);
  }
  /// Sets the panel's part of a kernel's arguments.
  void load_panel(std::size_t panel, TileArguments& arguments) const noexcept;
  /// The feature in a lane of a panel, -1 for a lane that is only filled up.
  [[nodiscard]] Index feature(std::size_t panel, std::size_t lane) const noexcept {
    return order_[panels_[panel] * kPanelFeatures + lane];
  }
  /// Place of a panel's first lane in arrays with one entry per lane.
  [[nodiscard]] std::size_t first_slot(std::size_t panel) const noexcept {
    return panels_[panel] * kPanelFeatures;
  }
  [[nodiscard]] std::size_t n_slots() const noexcept { return order_.size(); }
  [[nodiscard]] double feature_error(std::size_t panel, std::size_t lane) const noexcept {
    return error_[panels_[panel] * kPanelFeatures + lane];
  }
  [[nodiscard]] double feature_length(std::size_t panel, std::size_t lane) const noexcept {
    return length_[panels_[panel] * kPanelFeatures + lane];
  }

  /// Brings a vector over the samples into the same form.
  void pack(const double* vector, PackedVector& packed) const;

  /// Bound on the rounding of the kernel's own arithmetic, for vectors of length `length`.
  [[nodiscard]] double rounding(double length) const noexcept { return rounding_ * length; }

 private:
  void find_common_direction(const DenseMatrix& features);
  void store(const DenseMatrix& features, std::size_t slot);
  /// Splits off the common direction; returns the component along it.
  double deflate(const double* vector, std::vector<double>& rest) const;
  void quantise(const std::vector<double>& rest, int offset, PackedVector& packed) const;

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
};

}  // namespace sfg::detail
