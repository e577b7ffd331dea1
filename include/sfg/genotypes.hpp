#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/options.hpp"

namespace sfg {

/// Genotypes of people as a sample of them has: neighbours along a chromosome correlate.
struct GenotypeOptions {
  Index n_samples = 500;
  Index n_features = 10000;
  Index n_chromosomes = 4;
};

template <OptionsOf<GenotypeOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"samples", "Number of samples", at_least(2)}, options.n_samples);
  visit({"features", "Number of features", at_least(2)}, options.n_features);
  visit({"chromosomes", "Genotypes: chromosomes that the features lie on", at_least(1)},
        options.n_chromosomes);
}

struct GenotypeResult {
  Dataset dataset;  ///< 0, 1, 2: how many of a sample's two haplotypes carry the mutation
  FeaturePositions positions;
};

/// Each haplotype is a mosaic of founders'; the founders' genealogy changes along the chromosome by
/// recombination (sequentially Markov coalescent), and each marker is one mutation on it. So allele
/// frequencies fall as 1/x, and r2 falls with distance over some tens of thousands. Every marker
/// varies. The same seed gives the same data on every machine.
[[nodiscard]] GenotypeResult synthesise_genotypes(const GenotypeOptions& options,
                                                  std::uint64_t seed);

/// feature, chromosome, position: see read_positions().
[[nodiscard]] std::string positions_to_tsv(const GenotypeResult& result);

/// plink's files: genotypes (two bits each, marker by marker), markers and samples.
[[nodiscard]] std::string genotypes_to_bed(const GenotypeResult& result);
[[nodiscard]] std::string genotypes_to_bim(const GenotypeResult& result);
[[nodiscard]] std::string genotypes_to_fam(const GenotypeResult& result);

}  // namespace sfg
