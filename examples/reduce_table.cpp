// Removes redundant features from a table: the file given, or planted data if there is none.
#include <exception>
#include <iostream>

#include <sfg/sfg.hpp>

int main(int argc, char** argv) {
  try {
    const sfg::Dataset table =
        argc > 1
            ? sfg::read_dataset(argv[1], {})
            : sfg::synthesise({.n_samples = 100, .n_features = 200, .combinations = 0}, 1).dataset;

    sfg::MethodOptions options;
    options.grouping = sfg::ComponentOptions{.theta = 0.5};  // the paper's groups
    const sfg::MethodResult result = sfg::reduce(table, options);

    std::cout << "kept " << result.reduction.kept.size() << " of " << table.feature_names.size()
              << " features\n";
    for (const sfg::RemovedFeature& removed : result.reduction.removed) {
      if (removed.representative < 0) continue;
      std::cout << table.feature_names[removed.feature] << " ~ "
                << sfg::combination_text(removed.combination, table.feature_names) << "\n";
    }
    return 0;
  } catch (const sfg::Error& error) {
    std::cerr << error.what() << "\n";
    return sfg::exit_status(error.code());
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
