#include "sfg/genotypes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "synth/genealogy.hpp"

namespace sfg {

namespace {

using detail::Genealogy;
using detail::Random;

/// Haplotypes that all others are mosaics of.
constexpr Index kFounders = 100;
/// Mean distance of neighbouring markers.
constexpr double kMarkerDistance = 5000;
/// Distance over which a branch of unit length recombines once, and over which a haplotype turns to
/// another founder.
constexpr double kFounderDistance = 100'000;
constexpr double kMosaicDistance = 1'000'000;

/// The markers of one chromosome, from left to right.
class Chromosome {
 public:
  Chromosome(Index n_samples, Random& random)
      : random_(random),
        genealogy_(kFounders, random),
        length_(genealogy_.length()),
        founder_(2 * static_cast<std::size_t>(n_samples)) {
    for (Index& founder : founder_) founder = any_founder();
  }

  /// Where the next marker is.
  double move_on() {
    const double step = std::ceil(-std::log(1 - random_.uniform()) * kMarkerDistance);
    for (double left = step;;) {
      left += std::log(1 - random_.uniform()) * kFounderDistance / length_;
      if (left < 0) break;
      genealogy_.recombine();
      length_ = genealogy_.length();
    }
    const double turns = 1 - std::exp(-step / kMosaicDistance);
    for (Index& founder : founder_) {
      if (random_.uniform() < turns) founder = any_founder();
    }
    position_ += step;
    return position_;
  }

  /// A mutation that some of the samples have, but not all in the same number.
  void mark(std::span<double> genotypes) {
    do {
      const std::vector<char> carries = genealogy_.mutate();
      for (std::size_t i = 0; i < genotypes.size(); ++i) {
        genotypes[i] = carries[founder_[2 * i]] + carries[founder_[2 * i + 1]];
      }
    } while (std::ranges::min(genotypes) == std::ranges::max(genotypes));
  }

 private:
  Index any_founder() { return static_cast<Index>(random_.below(kFounders)); }

  Random& random_;
  Genealogy genealogy_;
  double length_;
  std::vector<Index> founder_;  ///< of each haplotype, two to a sample
  double position_ = 0;
};

}  // namespace

GenotypeResult synthesise_genotypes(const GenotypeOptions& options, std::uint64_t seed) {
  check_fields(options);
  Random random(seed);
  const Index d = options.n_features;
  DenseMatrix genotypes(options.n_samples, d);
  GenotypeResult result;
  for (Index c = 0; c < options.n_chromosomes; ++c) {
    const auto first = static_cast<Index>(std::int64_t{d} * c / options.n_chromosomes);
    const auto end = static_cast<Index>(std::int64_t{d} * (c + 1) / options.n_chromosomes);
    Chromosome chromosome(options.n_samples, random);
    for (Index marker = first; marker < end; ++marker) {
      result.positions.chromosome.push_back(c);
      result.positions.position.push_back(chromosome.move_on());
      chromosome.mark(genotypes.column(marker));
    }
  }
  result.dataset.matrix = std::move(genotypes);
  result.dataset.feature_names = generated_names(d);
  result.dataset.name_source = NameSource::file;
  result.dataset.source = "genotypes";
  return result;
}

std::string positions_to_tsv(const GenotypeResult& result) {
  std::string text = "feature\tchromosome\tposition\n";
  for (std::size_t i = 0; i < result.positions.size(); ++i) {
    text += fmt::format("{}\t{}\t{:.0f}\n", result.dataset.feature_names[i],
                        result.positions.chromosome[i] + 1, result.positions.position[i]);
  }
  return text;
}

std::string genotypes_to_bed(const GenotypeResult& result) {
  const auto& matrix = std::get<DenseMatrix>(result.dataset.matrix);
  // Two copies of the first allele 00, one 10, none 11, from the lowest bits up.
  constexpr std::array kBits{0b11U, 0b10U, 0b00U};
  constexpr Index kPerByte = 4;
  std::string bytes{'\x6c', '\x1b', '\x01'};
  for (Index j = 0; j < matrix.n_features(); ++j) {
    for (Index first = 0; first < matrix.n_samples(); first += kPerByte) {
      unsigned byte = 0;
      for (Index i = first; i < std::min(first + kPerByte, matrix.n_samples()); ++i) {
        byte |= kBits[static_cast<std::size_t>(matrix(i, j))] << (2 * (i - first));
      }
      bytes += static_cast<char>(byte);
    }
  }
  return bytes;
}

std::string genotypes_to_bim(const GenotypeResult& result) {
  std::string text;
  for (std::size_t i = 0; i < result.positions.size(); ++i) {
    text += fmt::format("{}\t{}\t0\t{:.0f}\tA\tG\n", result.positions.chromosome[i] + 1,
                        result.dataset.feature_names[i], result.positions.position[i]);
  }
  return text;
}

std::string genotypes_to_fam(const GenotypeResult& result) {
  std::string text;
  for (Index i = 0; i < n_samples(result.dataset.matrix); ++i) {
    text += fmt::format("s{0}\ts{0}\t0\t0\t0\t-9\n", i + 1);
  }
  return text;
}

}  // namespace sfg
